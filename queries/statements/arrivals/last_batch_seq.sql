-- statement: last_batch_seq
-- purpose:   the highest batch_seq ever given; after a restart counting continues from there
-- reads:     spans, logs, assembly_progress
-- note:      a batch that holds only repeated spans leaves no row, but may have been settled.
select
    greatest(
        coalesce((select max(batch_seq) from spans), 0),
        coalesce((select max(batch_seq) from logs), 0),
        coalesce((select max(batch_seq) from assembly_progress), 0)
    ) as batch_seq;
