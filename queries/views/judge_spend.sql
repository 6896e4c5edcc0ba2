-- view:    judge_spend
-- purpose: what judges were asked and what that cost, day by day (UTC)
-- grain:   day, judge, evaluator, model
-- reads:   judge_calls, is_unpriced
-- note:    calls were put to the judge; cached ones were not, for their answer was known. cost_usd is null where calls
--          have been paid for and the price of none is known.
create or replace view judge_spend as
select
    started_at::date as day,
    judge,
    evaluator,
    model,
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
    median(duration_ms) filter (where status in ('ok', 'unusable') and not from_cache) as p50_ms
from judge_calls
group by day, judge, evaluator, model;
