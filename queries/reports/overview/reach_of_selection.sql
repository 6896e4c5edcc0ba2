-- report:  reach_of_selection
-- purpose: the first and the last hour in which selected runs began; null if there is none
-- grain:   one row
-- reads:   run_hours_between
select
    min(hour) as first_hour,
    max(hour) as last_hour
from run_hours_between(null, null)
where
    ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
    and ($version::varchar is null or agent_version = $version::varchar)
    and ($environment is null or environment = $environment)
    and ($service is null or service_name = $service);
