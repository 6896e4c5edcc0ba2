-- statement: judge_spend_by_evaluator
-- purpose:   tokens and cost of a judge since a time, by evaluator; the total where evaluator is empty. Either in
--            production, or if $of_experiments in all experiments
-- reads:     judge_calls
-- note:      cached calls cost nothing. Pending calls count with their upper limit. They and those of previews are also
--            given apart. Rows of evaluators are without previews, or if $of_previews of them alone, so that previews
--            take nothing from the budget of an evaluator.
with calls as (
    select
        *,
        case when (purpose = 'preview') = $of_previews then evaluator end as budget_of
    from judge_calls
    where
        started_at >= $since
        and judge = $judge
        and not from_cache
        and (experiment_id is not null) = $of_experiments
)

select
    coalesce(budget_of, '') as evaluator,
    coalesce(sum(input_tokens), 0)::bigint as input_tokens,
    coalesce(sum(output_tokens), 0)::bigint as output_tokens,
    coalesce(sum(cost_usd), 0.0) as cost_usd,
    coalesce(sum(input_tokens + output_tokens) filter (where status = 'pending'), 0)::bigint as pending_tokens,
    coalesce(sum(cost_usd) filter (where status = 'pending'), 0.0) as pending_usd,
    coalesce(sum(input_tokens + output_tokens) filter (where purpose = 'preview'), 0)::bigint as preview_tokens,
    coalesce(sum(cost_usd) filter (where purpose = 'preview'), 0.0) as preview_usd
from calls
group by grouping sets ((budget_of), ())
having budget_of is not null or grouping(budget_of) = 1;
