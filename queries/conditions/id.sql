-- condition: id
-- purpose:   the beginning of the id of the run, or of its trace
-- reads:     runs
select agent_trace_id
from runs
where
    starts_with(agent_trace_id, lower($text));
