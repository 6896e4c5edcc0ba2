-- statement: change_selection
-- purpose:   records from which run on an evaluator selects by its present `when` and sample
-- reads:     evaluator_cursors
update evaluator_cursors
set
    selection = $selected_by,
    selected_seq = seq,
    selected_at = $now
where
    evaluator = $evaluator
    and evaluator_version = $evaluator_version
    and config_hash = $config_hash
    and selection <> $selected_by;
