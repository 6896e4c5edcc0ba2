-- condition: agent
-- purpose:   the name of the agent, or that of the service where the agent has none
-- reads:     runs
select agent_trace_id
from runs
where
    coalesce(agent_name, service_name) = $text;
