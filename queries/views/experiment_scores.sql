-- view:    experiment_scores
-- purpose: the scores of experiments, each with the item and repeat that it is about
-- grain:   score_id
-- reads:   scores, experiments, experiment_runs
create or replace view experiment_scores as
select
    experiments.name as experiment,
    experiment_runs.item_id,
    experiment_runs.repeat,
    scores.* exclude (superseded_at, superseded_reason)
from scores
join experiment_runs
    on
        scores.experiment_id = experiment_runs.experiment_id
        and scores.agent_trace_id = experiment_runs.agent_trace_id
join experiments on scores.experiment_id = experiments.experiment_id;
