-- report:  filter_values
-- purpose: the agents, versions, environments and services that a window can be filtered by
-- grain:   agent_name, agent_version, environment, service_name
-- reads:   run_hours_between
select
    agent_name,
    agent_version,
    environment,
    service_name,
    sum(runs)::bigint as runs
from run_hours_between($since, $until)
where
    ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service)
group by agent_name, agent_version, environment, service_name
order by agent_name, agent_version, environment, service_name;
