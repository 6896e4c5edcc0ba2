-- report:  failing_by_version
-- purpose: how many of the runs of a window failed, by agent and version
-- grain:   agent_name, agent_version
-- reads:   run_hours_between, wilson
select
    agent_name,
    agent_version,
    sum(runs)::bigint as n,
    sum(failing_runs)::bigint as failing_runs,
    sum(failing_runs) / sum(runs) as failing_rate,
    wilson(sum(failing_runs), sum(runs)) as interval,
    min(hour) as first_hour,
    max(hour) as last_hour
from run_hours_between($since, $until)
where
    ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service)
group by agent_name, agent_version
order by agent_name, agent_version;
