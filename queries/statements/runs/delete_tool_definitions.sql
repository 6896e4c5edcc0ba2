-- statement: delete_tool_definitions
-- purpose:   deletes the rows of some runs, which a new revision replaces
-- reads:     tool_definitions
delete from tool_definitions
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
