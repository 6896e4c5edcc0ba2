-- condition: service
-- purpose:   the name of the service
-- reads:     runs
select agent_trace_id
from runs
where
    service_name = $text;
