-- report:  judges
-- purpose: the calls of each judge since a time, by evaluator; the total of a judge where evaluator is null.
--          Those of experiments are apart; those of previews are included and given apart as well
-- grain:   judge, is_experiment, evaluator
-- reads:   judge_calls, judge_call_totals
select
    judge,
    is_experiment,
    evaluator,
    list_sort(list_distinct(list(model))) as models,
    unnest(judge_call_totals(from_cache, status, input_tokens, output_tokens, cost_usd, duration_ms)), -- noqa: AL03
    count(*) filter (where not from_cache and (response ->> 'estimated') = 'true') as estimated_calls,
    count(*) filter (where purpose = 'preview' and not from_cache) as preview_calls,
    coalesce(sum(input_tokens + output_tokens) filter (where purpose = 'preview'), 0)::bigint as preview_tokens,
    coalesce(sum(cost_usd) filter (where purpose = 'preview'), 0.0) as preview_usd,
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
