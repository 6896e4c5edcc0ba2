-- condition: environment
-- purpose:   the environment
-- reads:     runs
select agent_trace_id
from runs
where
    environment = $text;
