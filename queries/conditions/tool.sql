-- condition: tool
-- purpose:   a tool that was called
-- reads:     runs
select agent_trace_id
from runs
where
    list_contains(tools, $text);
