-- statement: delete_tool_calls
-- purpose:   deletes the rows of some runs, which a new revision replaces
-- reads:     tool_calls
delete from tool_calls
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
