-- statement: counted_tool_hours
-- purpose:   the tool calls of some hours, counted
-- grain:     hour, agent_name, agent_version, environment, service_name, tool
-- reads:     tool_hours_of
select *
from tool_hours_of($since::timestamp, $until::timestamp, $earliest::timestamp, $latest::timestamp);
