-- report:  score_figures
-- purpose: the numbers and the mean of selected scores, by evaluator
-- grain:   evaluator
-- reads:   selected_scores
select
    evaluator,
    count(value) as valued,
    avg(value) as mean,
    coalesce(var_samp(value), 0) as variance,
    count(passed) as decided,
    count(*) filter (where passed) as passed,
    count(*) filter (where status = 'skipped') as skipped,
    count(*) filter (where status = 'error') as errors
from
    selected_scores(
        $since::timestamp,
        $until::timestamp,
        $agent,
        $service,
        $agent_version,
        $environment,
        $trace_ids,
        $experiment_id
    )
group by evaluator
order by evaluator;
