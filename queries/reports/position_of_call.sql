-- report:  position_of_call
-- purpose: the positions of the tool calls of a run that have an id; models may repeat one
-- grain:   position
-- reads:   tool_calls
select position
from tool_calls
where agent_trace_id = $agent_trace_id and tool_call_id = $tool_call_id
order by position;
