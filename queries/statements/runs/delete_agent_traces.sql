-- statement: delete_agent_traces
-- purpose:   deletes the rows of some runs, which a new revision replaces
-- reads:     agent_traces
delete from agent_traces
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
