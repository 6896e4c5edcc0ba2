-- condition: invalid_tool
-- purpose:   a tool of which a call was invalid
-- reads:     runs
select agent_trace_id
from runs
where
    list_contains(invalid_tools, $text);
