-- report:  scores_to_calibrate
-- purpose: how many scores judges and people have given, by evaluator
-- grain:   evaluator
-- reads:   latest_scores
select
    evaluator,
    count(*) filter (where evaluator_kind = 'llm' and status = 'scored') as by_judges,
    count(*) filter (where evaluator_kind = 'human') as by_people
from latest_scores
where evaluator_kind in ('llm', 'human')
group by evaluator
order by evaluator;
