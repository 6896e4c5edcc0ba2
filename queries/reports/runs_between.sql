-- report:  runs_between
-- purpose: the number of runs and of failing runs in the hours that begin from $since until $until; null selects all
-- grain:   one row
-- reads:   run_hours_between
select
    coalesce(sum(runs), 0)::bigint as runs,
    coalesce(sum(failing_runs), 0)::bigint as failing_runs
from run_hours_between($since::timestamp, $until::timestamp)
where
    ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
    and ($version::varchar is null or agent_version = $version::varchar)
    and ($environment is null or environment = $environment);
