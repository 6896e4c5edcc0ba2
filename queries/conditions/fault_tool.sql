-- condition: fault_tool
-- purpose:   a tool of which a call was the first fault
-- reads:     runs
select agent_trace_id
from runs
where
    failing and fault_tool = $text;
