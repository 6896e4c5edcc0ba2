-- statement: delete_messages
-- purpose:   deletes the rows of some runs, which a new revision replaces
-- reads:     messages
delete from messages
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
