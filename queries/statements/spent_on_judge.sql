-- statement: spent_on_judge
-- purpose:   what a judge has cost since some time, by evaluator; and, where evaluator is empty, in all
-- reads:     judge_calls
-- note:      what was known already costs nothing. What is pending has no price yet, which is not to say that nobody
--            knows it.
select
    coalesce(evaluator, '') as evaluator,
    count(*) as calls,
    coalesce(sum(input_tokens), 0)::bigint as input_tokens,
    coalesce(sum(output_tokens), 0)::bigint as output_tokens,
    coalesce(sum(cost_usd), 0.0) as cost_usd,
    count(*) filter (where is_unpriced(status, input_tokens, output_tokens, cost_usd)) as unpriced_calls
from judge_calls
where started_at >= $since and judge = $judge and not from_cache
group by grouping sets ((evaluator), ());
