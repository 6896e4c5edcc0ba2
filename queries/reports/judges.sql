-- report:  judges
-- purpose: the calls of each judge since a time, by evaluator; the total of a judge where evaluator is null.
--          Those of experiments are apart
-- grain:   judge, is_experiment, evaluator
-- reads:   judge_calls, judge_call_totals
select
    judge,
    is_experiment,
    evaluator,
    list_sort(list_distinct(list(model))) as models,
    unnest(judge_call_totals(from_cache, status, input_tokens, output_tokens, cost_usd, duration_ms)), -- noqa: AL03
    count(*) filter (where not from_cache and (response ->> 'estimated') = 'true') as estimated_calls,
    max(started_at) filter (where status in ('error', 'unusable') and not from_cache) as last_error_at,
    arg_max(error, started_at) filter (where status in ('error', 'unusable') and not from_cache) as last_error
from (
    select
        *,
        experiment_id is not null as is_experiment
    from judge_calls
    where started_at >= $since::timestamp
) as asked
group by grouping sets ((judge, is_experiment), (judge, is_experiment, evaluator))
order by judge, is_experiment, evaluator nulls first;
