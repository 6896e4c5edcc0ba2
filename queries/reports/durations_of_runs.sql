-- report:  durations_of_runs
-- purpose: how long the runs of a period took: median, and what 95 % of them stayed below
-- grain:   one row
-- reads:   selected_runs
-- note:    exact for up to three days, else within a percent or so.
select
    count(duration_ms) as timed,
    case
        when $until::timestamp - $since::timestamp > interval 3 day then approx_quantile(duration_ms, 0.5)
        else quantile_cont(duration_ms, 0.5)
    end as p50_ms,
    case
        when $until::timestamp - $since::timestamp > interval 3 day then approx_quantile(duration_ms, 0.95)
        else quantile_cont(duration_ms, 0.95)
    end as p95_ms
from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
where $service is null or service_name = $service;
