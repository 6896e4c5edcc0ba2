-- view:    judge_spend
-- purpose: calls of judges and their cost, by day (UTC)
-- grain:   day, judge, evaluator, model, experiment_id
-- reads:   judge_calls, judge_call_totals
-- note:    calls were sent to the judge; cached ones were not, since their answer was stored. cost_usd is null if calls
--          were paid for and none of them has a known price.
create or replace view judge_spend as
select
    started_at::date as day,
    judge,
    evaluator,
    model,
    experiment_id,
    unnest(judge_call_totals(from_cache, status, input_tokens, output_tokens, cost_usd, duration_ms)) -- noqa: AL03
from judge_calls
group by day, judge, evaluator, model, experiment_id;
