-- condition: pattern
-- purpose:   the pattern of the first fault, by its id
-- reads:     runs
select agent_trace_id
from runs
where
    pattern_id = lower($text);
