-- report:  judges
-- purpose: what each judge was asked since some time, by evaluator; and, where evaluator is null, in all
-- grain:   judge, evaluator
-- reads:   judge_calls, is_unpriced
select
    judge,
    evaluator,
    list_sort(list_distinct(list(model))) as models,
    count(*) filter (where not from_cache) as calls,
    count(*) filter (where from_cache) as cached,
    count(*) filter (where status = 'pending') as pending,
    count(*) filter (where status = 'unusable' and not from_cache) as unusable,
    count(*) filter (where status = 'error') as errors,
    coalesce(sum(input_tokens) filter (where not from_cache), 0)::bigint as input_tokens,
    coalesce(sum(output_tokens) filter (where not from_cache), 0)::bigint as output_tokens,
    coalesce(
        sum(cost_usd) filter (where not from_cache),
        case when bool_and(from_cache or not is_unpriced(status, input_tokens, output_tokens, cost_usd)) then 0.0 end
    ) as cost_usd,
    count(*) filter (
        where not from_cache and is_unpriced(status, input_tokens, output_tokens, cost_usd)
    ) as unpriced_calls,
    count(*) filter (where not from_cache and (response ->> 'estimated') = 'true') as estimated_calls,
    median(duration_ms) filter (where status in ('ok', 'unusable') and not from_cache) as p50_ms,
    max(started_at) filter (where status in ('error', 'unusable') and not from_cache) as last_error_at,
    arg_max(error, started_at) filter (where status in ('error', 'unusable') and not from_cache) as last_error
from judge_calls
where started_at >= $since::timestamp
group by grouping sets ((judge), (judge, evaluator))
order by judge, evaluator nulls first;
