-- statement: delete_due_later_of_targets
-- purpose:   forgets what was put off on targets that are none any more
-- reads:     due_later
delete from due_later
where target_id in (select unnest(string_split($target_ids, chr(31))));
