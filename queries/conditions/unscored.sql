-- condition: unscored
-- purpose:   runs without scores
-- reads:     runs
select agent_trace_id
from runs
where
    score_count = 0;
