-- statement: delete_gone_targets
-- purpose:   removes targets that no longer exist from those that are deferred for any evaluator
-- reads:     deferrals
delete from deferrals
where target_id in (select unnest(string_split($target_ids, chr(31))));
