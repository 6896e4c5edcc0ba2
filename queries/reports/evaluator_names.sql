-- report:  evaluator_names
-- purpose: the evaluators that have scores, of production or of experiments
-- grain:   evaluator
-- reads:   scores
select distinct evaluator
from scores
where evaluator_kind not in ('human', 'external')
order by evaluator;
