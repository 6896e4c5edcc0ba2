-- report:  models
-- purpose: Which model does the work best, and at what price?
-- grain:   agent, model
-- reads:   selected_runs, wilson, few
-- note:    a run passed if its outcome is passed; runs that wait, are unfinished or not scored are only in runs.
select
    agent,
    model,
    runs,
    n,
    round(passed / nullif(n, 0), 4) as pass_rate,
    round(wilson(passed, n).low, 4) as pass_rate_low,
    round(wilson(passed, n).high, 4) as pass_rate_high,
    cost_per_run_usd,
    p50_ms,
    few(n) as remark
from (
    select
        coalesce(agent_name, service_name) as agent,
        model,
        count(*) as runs,
        count(*) filter (where outcome = 'passed' or failing) as n,
        count(*) filter (where outcome = 'passed') as passed,
        round(avg(cost_usd), 6) as cost_per_run_usd,
        round(median(duration_ms), 1) as p50_ms
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    group by all
) as counted
order by agent, runs desc, model;
