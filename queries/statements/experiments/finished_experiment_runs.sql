-- statement: finished_experiment_runs
-- purpose:   the runs of an experiment that are stored, in the order of its items
-- reads:     experiment_runs
select
    item_id,
    repeat
from experiment_runs
where experiment_id = $experiment_id
order by position, repeat;
