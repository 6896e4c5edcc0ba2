-- condition: calls
-- purpose:   the number of tool calls, with sub-agents
-- reads:     runs
select agent_trace_id
from runs
where
    tool_call_count between $least and $most;
