-- statement: delete_linked_calls
-- purpose:   deletes which tool calls of some runs got their outcome from a later run
-- reads:     linked_calls
delete from linked_calls
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
