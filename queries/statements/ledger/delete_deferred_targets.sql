-- statement: delete_deferred_targets
-- purpose:   removes some targets from those that are deferred for an evaluator
-- reads:     due_later
delete from due_later
where evaluator = $evaluator and target_id in (select unnest(string_split($target_ids, chr(31))));
