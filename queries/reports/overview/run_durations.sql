-- report:  run_durations
-- purpose: how many of the runs of a window ended in an error, and how long they took
-- grain:   one row
-- reads:   runs
select
    count(*) as runs,
    count(*) filter (where outcome = 'error') as error_runs,
    count(*) filter (where outcome = 'error') / nullif(count(*), 0) as error_rate,
    count(duration_ms) as n_timed,
    quantile_cont(duration_ms, 0.5) as p50_ms,
    quantile_cont(duration_ms, 0.95) as p95_ms
from runs
where
    started_at >= $since::timestamp
    and started_at < $until::timestamp
    and ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service);
