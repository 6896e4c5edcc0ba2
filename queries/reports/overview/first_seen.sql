-- report:  first_seen
-- purpose: versions and models of agents, and tool definitions, that came up first in a window, to the hour
-- grain:   hour, what, agent_name, name, definition_hash
-- reads:   run_hours_between, offered_tools
-- note:    tool definitions are those of all agents. A definition is in the hour of the first run that offered it.
with counted as (
    select
        min(hour) as hour,
        agent_name,
        agent_version,
        model
    from run_hours_between(null, $until)
    where
        ($agent::varchar is null or agent_name = $agent)
        and ($agent_version::varchar is null or agent_version = $agent_version)
        and ($environment::varchar is null or environment = $environment)
        and ($service::varchar is null or service_name = $service)
    group by agent_name, agent_version, model
)

select
    min(hour) as hour,
    'version' as what,
    agent_name,
    agent_version as name,
    null as definition_hash
from counted
where agent_version <> ''
group by agent_name, agent_version
having min(hour) >= $since
union all
select
    min(hour) as hour,
    'model' as what,
    agent_name,
    model as name,
    null as definition_hash
from counted
where model <> ''
group by agent_name, model
having min(hour) >= $since
union all
select
    date_trunc('hour', first_offered_at) as hour,
    'tool definition' as what,
    null as agent_name,
    name,
    definition_hash
from offered_tools
where first_offered_at >= $since::timestamp and first_offered_at < $until::timestamp
order by hour, what, agent_name, name, definition_hash;
