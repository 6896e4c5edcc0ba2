-- statement: related_experiment_runs
-- purpose:   the stored runs of an experiment with an item, a position or an agent run of one of the arriving runs
-- reads:     experiment_runs
-- note:      arriving_experiment_runs is registered by the writer.
select
    item_id,
    repeat,
    position,
    item_hash,
    agent_trace_id
from experiment_runs
where
    experiment_id = $experiment_id
    and (
        item_id in (select item_id from arriving_experiment_runs)
        or position in (select position from arriving_experiment_runs)
        or agent_trace_id in (select agent_trace_id from arriving_experiment_runs)
    );
