-- report:  spend_of_evaluators
-- purpose: what the judge of each of some evaluators cost a day in a period, without experiments
-- grain:   evaluator
-- reads:   judge_calls, judge_call_totals
-- note:    the period is at least the last day of it, and begins with the first call. A cost is null where calls were
--          paid for and none of them has a known price.
with asked as (
    select
        evaluator,
        min(started_at) as first_at,
        unnest(judge_call_totals(from_cache, status, input_tokens, output_tokens, cost_usd, duration_ms)) -- noqa: AL03
    from judge_calls
    where
        list_contains($evaluators::varchar[], evaluator)
        and experiment_id is null
        and started_at >= least($since::timestamp, $until::timestamp - interval 1 day)
        and started_at < $until::timestamp
    group by evaluator
)

select
    evaluator,
    calls,
    cached,
    errors,
    unpriced_calls,
    cost_usd,
    cost_usd / greatest(datediff(
        'second',
        greatest(first_at, least($since::timestamp, $until::timestamp - interval 1 day)),
        $until::timestamp
    ) / 86400.0, 1) as cost_usd_per_day
from asked
order by evaluator;
