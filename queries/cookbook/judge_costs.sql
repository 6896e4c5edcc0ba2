-- report:    judge_costs
-- purpose:   What did judges cost, by day and evaluator?
-- grain:     day, judge, evaluator, model, of_experiments
-- reads:     judge_spend
-- note:      n are calls that were sent; cached ones were answered from the store. Whole days (UTC).
-- evaluator: only this evaluator
select
    day,
    judge,
    evaluator,
    model,
    experiment_id is not null as of_experiments,
    sum(calls)::bigint as n,
    sum(cached)::bigint as cached,
    sum(errors)::bigint as errors,
    round(sum(cost_usd), 6) as cost_usd,
    sum(unpriced_calls)::bigint as unpriced,
    sum(input_tokens)::bigint as input_tokens,
    sum(output_tokens)::bigint as output_tokens
from judge_spend
where
    day >= $since::timestamp::date
    and day <= $until::timestamp::date
    and ($evaluator is null or evaluator = $evaluator)
group by all
order by day desc, cost_usd desc nulls last, judge, evaluator, model;
