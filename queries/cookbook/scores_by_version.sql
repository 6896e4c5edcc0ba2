-- report:    scores_by_version
-- purpose:   What share of the scores of each version passed?
-- grain:     agent, evaluator, kind, version
-- reads:     run_scores, wilson, few
-- note:      n are the scores that say whether the target passed; mean_value is over all that have a value.
-- evaluator: only this evaluator
select
    agent,
    evaluator,
    kind,
    version,
    first_run_at,
    round(mean_value, 3) as mean_value,
    n,
    round(passed / nullif(n, 0), 4) as pass_rate,
    round(wilson(passed, n).low, 4) as pass_rate_low,
    round(wilson(passed, n).high, 4) as pass_rate_high,
    few(n) as remark
from (
    select
        coalesce(agent_name, service_name) as agent,
        evaluator,
        evaluator_kind as kind,
        agent_version as version,
        min(started_at) as first_run_at,
        avg(value) as mean_value,
        count(passed) as n,
        count(*) filter (where passed) as passed
    from run_scores($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where status = 'scored' and ($evaluator is null or evaluator = $evaluator)
    group by all
) as counted
order by agent, evaluator, kind, first_run_at desc, version;
