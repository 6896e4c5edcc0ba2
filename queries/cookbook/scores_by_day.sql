-- report:    scores_by_day
-- purpose:   How good were the runs of each agent on each day?
-- grain:     day, agent, evaluator, kind
-- reads:     run_scores, wilson, few
-- note:      n are the scores that say whether the target passed; mean_value is over all that have a value.
-- evaluator: only this evaluator
select
    day,
    agent,
    evaluator,
    kind,
    round(mean_value, 3) as mean_value,
    n,
    round(passed / nullif(n, 0), 4) as pass_rate,
    round(wilson(passed, n).low, 4) as pass_rate_low,
    round(wilson(passed, n).high, 4) as pass_rate_high,
    few(n) as remark
from (
    select
        started_at::date as day,
        coalesce(agent_name, service_name) as agent,
        evaluator,
        evaluator_kind as kind,
        avg(value) as mean_value,
        count(passed) as n,
        count(*) filter (where passed) as passed
    from run_scores($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where status = 'scored' and ($evaluator is null or evaluator = $evaluator)
    group by all
) as counted
order by day, agent, evaluator, kind;
