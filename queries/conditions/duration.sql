-- condition: duration
-- purpose:   the duration in milliseconds
-- reads:     runs
select agent_trace_id
from runs
where
    duration_ms between $least and $most;
