-- statement: last_batch_seq
-- purpose:   the highest batch_seq ever given, so that a restart counts on from there
-- reads:     spans, logs, assembly_progress
-- note:      a batch of nothing but repeats leaves no row, and may yet have been settled.
select
    greatest(
        coalesce((select max(batch_seq) from spans), 0),
        coalesce((select max(batch_seq) from logs), 0),
        coalesce((select max(batch_seq) from assembly_progress), 0)
    ) as batch_seq;
