-- statement: advance_cursor
-- purpose:   an evaluator is through with the targets up to seq
-- reads:     evaluator_cursors
update evaluator_cursors
set seq = greatest(seq, $seq)
where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash;
