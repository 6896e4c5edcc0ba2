-- report:  matching_experiments
-- purpose: the experiments of a name or with an id that begins so, the best match first, then the newest; without name
--          and id all of them
-- grain:   experiment_id
-- reads:   experiments, experiment_runs
with totals as (
    select
        experiment_id,
        count(*) as runs,
        count(*) filter (where status = 'error') as errors
    from experiment_runs
    group by experiment_id
)

select
    experiments.*,
    coalesce(totals.runs, 0) as runs,
    coalesce(totals.errors, 0) as errors
from experiments
left join totals using (experiment_id)
where
    ($dataset is null or experiments.dataset = $dataset)
    and (
        ($name is null and $id is null)
        or experiments.name = $name
        or starts_with(experiments.experiment_id, $id)
    )
order by
    experiments.experiment_id = $id desc nulls last,
    experiments.name = $name desc nulls last,
    experiments.started_at desc
limit $limit;
