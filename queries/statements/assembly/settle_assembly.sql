-- statement: settle_assembly
-- purpose:   records the commit up to which all arrivals are assembled
-- reads:     assembly_progress
update assembly_progress
set batch_seq = greatest(batch_seq, $batch_seq);
