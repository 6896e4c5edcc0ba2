-- report:    drift
-- purpose:   How did scores move from week to week?
-- grain:     agent, evaluator, kind, week
-- reads:     run_scores, difference_of_shares, few
-- period:    28d
-- note:      weeks begin on Monday (UTC). A finding stands where both weeks have ten scores and the 95 % interval of
--            the difference does not contain 0.
-- evaluator: only this evaluator
with weekly as (
    select
        coalesce(agent_name, service_name) as agent,
        evaluator,
        evaluator_kind as kind,
        date_trunc('week', started_at)::date as week,
        avg(value) as mean_value,
        count(passed) as n,
        count(*) filter (where passed) as passed
    from run_scores($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where status = 'scored' and ($evaluator is null or evaluator = $evaluator)
    group by all
    having count(passed) > 0
),

compared as (
    select
        *,
        lag(n) over (partition by agent, evaluator, kind order by week) as n_before,
        difference_of_shares(
            passed,
            n,
            lag(passed) over (partition by agent, evaluator, kind order by week),
            lag(n) over (partition by agent, evaluator, kind order by week)
        ) as change
    from weekly
)

select
    agent,
    evaluator,
    kind,
    week,
    round(mean_value, 3) as mean_value,
    n,
    round(passed / n, 4) as pass_rate,
    round((change)['difference'], 4) as pass_rate_change,
    round((change)['low'], 4) as pass_rate_change_low,
    round((change)['high'], 4) as pass_rate_change_high,
    case
        when least(n, n_before) < 10 then few(least(n, n_before))
        when (change)['high'] < 0 then 'worse'
        when (change)['low'] > 0 then 'better'
    end as finding
from compared
order by agent, evaluator, kind, week;
