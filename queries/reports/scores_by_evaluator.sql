-- report:  scores_by_evaluator
-- purpose: the scores of runs by evaluator; those of people and external ones are counted apart
-- grain:   evaluator, kind
-- reads:   latest_scores
select
    evaluator,
    evaluator_kind as kind,
    count(*) filter (where status = 'scored') as scored,
    count(*) filter (where status = 'skipped') as skipped,
    round(avg(value), 3) as mean,
    round(avg(passed::int), 3) as pass_rate
from latest_scores
group by evaluator, kind
order by evaluator, kind;
