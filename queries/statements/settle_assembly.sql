-- statement: settle_assembly
-- purpose:   remembers up to which commit all arrivals are assembled
-- reads:     assembly_progress
update assembly_progress
set batch_seq = greatest(batch_seq, $batch_seq);
