-- statement: delete_llm_calls
-- purpose:   deletes the rows of some runs, which a new revision replaces
-- reads:     llm_calls
delete from llm_calls
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
