-- report:  scores_of_other_scope
-- purpose: scores of people under the name of a judge whose scores are on other targets, so that they form no pair
-- grain:   evaluator, scope
-- reads:   latest_scores
with judges as (
    select
        evaluator,
        list_sort(list_distinct(list(scope))) as judged
    from latest_scores
    where evaluator_kind = 'llm'
    group by evaluator
)

select
    humans.evaluator,
    humans.scope,
    judges.judged,
    count(*) as scores
from latest_scores as humans
inner join judges using (evaluator)
where
    humans.evaluator_kind = 'human'
    and not list_contains(judges.judged, humans.scope)
    and ($evaluator is null or humans.evaluator = $evaluator)
group by all
order by all;
