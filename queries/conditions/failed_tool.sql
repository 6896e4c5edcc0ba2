-- condition: failed_tool
-- purpose:   a tool of which a call failed
-- reads:     runs
select agent_trace_id
from runs
where
    list_contains(failed_tools, $text);
