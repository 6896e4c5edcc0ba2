-- statement: delete_due_later_of_runs
-- purpose:   forgets what was put off on runs that turned out to be none
-- reads:     due_later
delete from due_later
where target_id in (select unnest(string_split($agent_trace_ids, chr(31))));
