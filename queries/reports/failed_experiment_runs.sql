-- report:  failed_experiment_runs
-- purpose: the number of runs of an experiment whose task failed, and that therefore did not pass, by evaluator
-- grain:   evaluator
-- reads:   experiment_runs, scores
-- note:    as in the result of the experiment, these are runs on items that the evaluator decides in other repeats, or
--          on which all repeats failed; and none if the evaluator decides nothing in an experiment with completed runs.
with decided as (
    select distinct
        scores.evaluator,
        runs.item_id
    from scores
    join experiment_runs as runs
        on scores.experiment_id = runs.experiment_id and scores.agent_trace_id = runs.agent_trace_id
    where
        scores.experiment_id = $experiment_id
        and scores.superseded_at is null
        and scores.evaluator_kind not in ('human', 'external')
        and scores.passed is not null
),

completed as (
    select distinct item_id
    from experiment_runs
    where experiment_id = $experiment_id and status != 'error'
),

names as (
    select unnest($evaluators::varchar[]) as evaluator
)

select
    names.evaluator,
    count(*) as failed_runs
from names
join experiment_runs as runs on runs.experiment_id = $experiment_id and runs.status = 'error'
where
    (names.evaluator in (select evaluator from decided) or not exists (from completed))
    and (
        runs.item_id not in (select item_id from completed)
        or (names.evaluator, runs.item_id) in (select (evaluator, item_id) from decided)
    )
group by names.evaluator
order by names.evaluator;
