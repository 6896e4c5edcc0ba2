-- report:  runs_of_experiment
-- purpose: the runs of an experiment behind a position and repeat, in their order
-- grain:   item_id, repeat
-- reads:   experiment_runs
select
    position,
    repeat,
    item,
    status,
    cause,
    agent_trace_id,
    duration_ms
from experiment_runs
where experiment_id = $experiment_id and (position, repeat) > ($after_position, $after_repeat)
order by position, repeat
limit $limit;
