-- statement: spent_on_judge
-- purpose:   what a judge has cost since some time, by evaluator; and, where evaluator is empty, in all
-- reads:     judge_calls
-- note:      what was known already costs nothing. What is pending counts with the most that it may take, and is told
--            apart, too.
select
    coalesce(evaluator, '') as evaluator,
    coalesce(sum(input_tokens), 0)::bigint as input_tokens,
    coalesce(sum(output_tokens), 0)::bigint as output_tokens,
    coalesce(sum(cost_usd), 0.0) as cost_usd,
    coalesce(sum(input_tokens + output_tokens) filter (where status = 'pending'), 0)::bigint as pending_tokens,
    coalesce(sum(cost_usd) filter (where status = 'pending'), 0.0) as pending_usd
from judge_calls
where started_at >= $since and judge = $judge and not from_cache
group by grouping sets ((evaluator), ());
