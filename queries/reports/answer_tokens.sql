-- report:  answer_tokens
-- purpose: how many tokens the answers of a judge had to an evaluator on average, or else to any; null where it gave
--          none
-- grain:   one row
-- reads:   judge_calls
select coalesce(avg(output_tokens) filter (where evaluator = $evaluator), avg(output_tokens)) as output_tokens
from judge_calls
where judge = $judge and status = 'ok' and not from_cache;
