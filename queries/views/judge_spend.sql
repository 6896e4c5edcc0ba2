-- view:    judge_spend
-- purpose: what judges were asked and what that cost, day by day (UTC)
-- grain:   day, judge, evaluator, model
-- reads:   judge_calls, judge_call_totals
-- note:    calls were put to the judge; cached ones were not, for their answer was known. cost_usd is null where calls
--          have been paid for and the price of none is known.
create or replace view judge_spend as
select
    started_at::date as day,
    judge,
    evaluator,
    model,
    unnest(judge_call_totals(from_cache, status, input_tokens, output_tokens, cost_usd, duration_ms)) -- noqa: AL03
from judge_calls
group by day, judge, evaluator, model;
