-- statement: linked_tool_calls
-- purpose:   the tool_calls of some runs, with the results that later runs brought, for the evaluation of sessions
-- reads:     tool_calls
select *
from tool_calls
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
