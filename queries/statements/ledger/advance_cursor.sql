-- statement: advance_cursor
-- purpose:   moves the cursor of an evaluator to seq, unless it is further already
-- reads:     evaluator_cursors
update evaluator_cursors
set seq = greatest(seq, $seq)
where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash;
