-- statement: delete_gone_targets
-- purpose:   removes targets that no longer exist from those that are deferred for any evaluator
-- reads:     due_later
delete from due_later
where target_id in (select unnest(string_split($target_ids, chr(31))));
