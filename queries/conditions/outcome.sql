-- condition: outcome
-- purpose:   runs with an outcome
-- reads:     runs
select agent_trace_id
from runs
where
    outcome = $outcome;
