-- condition: version
-- purpose:   the version of the agent
-- reads:     runs
select agent_trace_id
from runs
where
    agent_version = $text;
