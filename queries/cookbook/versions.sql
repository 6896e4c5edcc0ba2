-- report:  versions
-- purpose: How often does each version fail, and since when?
-- grain:   agent, version, prompt
-- reads:   selected_runs, wilson, few
-- note:    n are the runs that neither wait for a person nor are unfinished.
select
    agent,
    version,
    prompt,
    first_run_at,
    last_run_at,
    n,
    round(failing / nullif(n, 0), 4) as failing_rate,
    round(wilson(failing, n).low, 4) as failing_rate_low,
    round(wilson(failing, n).high, 4) as failing_rate_high,
    cost_per_run_usd,
    p50_ms,
    few(n) as remark
from (
    select
        coalesce(agent_name, service_name) as agent,
        agent_version as version,
        nullif(concat_ws('@', prompt_name, prompt_version), '') as prompt,
        min(started_at) as first_run_at,
        max(started_at) as last_run_at,
        count(*) filter (where outcome not in ('waiting', 'unfinished')) as n,
        count(*) filter (where failing) as failing,
        round(avg(cost_usd), 6) as cost_per_run_usd,
        round(median(duration_ms), 1) as p50_ms
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    group by all
) as counted
order by agent, first_run_at desc, version, prompt;
