-- statement: delete_deferred_targets
-- purpose:   removes some targets from those that are deferred for an evaluator
-- reads:     deferrals
delete from deferrals
where evaluator = $evaluator and target_id in (select unnest(string_split($target_ids, chr(31))));
