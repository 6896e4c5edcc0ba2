-- report:  answer_tokens
-- purpose: average number of output tokens of a judge's answers to an evaluator, or else to any evaluator; null where
--          it has given none
-- grain:   one row
-- reads:   judge_calls
select coalesce(avg(output_tokens) filter (where evaluator = $evaluator), avg(output_tokens)) as output_tokens
from judge_calls
where judge = $judge and status = 'ok' and recorded_by = 'server' and not from_cache;
