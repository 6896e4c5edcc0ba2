-- report:  durations_of_runs
-- purpose: how long the runs of a period took: median, and what 95 % of them stayed below
-- grain:   one row
-- reads:   selected_runs
select
    timed,
    percentiles[1] as p50_ms,
    percentiles[2] as p95_ms
from (
    select
        count(duration_ms) as timed,
        quantile_cont(duration_ms, [0.5, 0.95]) as percentiles
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where $service is null or service_name = $service
) as measured;
