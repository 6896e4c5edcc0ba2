-- report:  changes_of_agents
-- purpose: what is new in the runs of a period: versions, models and prompts that the agent did not use in the 28 days
--          before, and definitions of tools that no run offered before, with the agent that did it first
-- grain:   agent, what, value
-- reads:   run_hours_between, selected_runs, offered_tools
-- note:    prompts are read from the runs, since hours do not have them. Agents without runs in these 28 days are left
--          out. Sorted by the time of the first run.
with used as materialized (
    select
        coalesce(nullif(agent_name, ''), service_name) as agent,
        hour,
        first_started_at,
        agent_version,
        unnest(['version', 'model']) as what,
        unnest([agent_version, model]) as value
    from run_hours_between($since::timestamp - interval 28 day, $until::timestamp)
    where
        ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
        and ($environment is null or environment = $environment)
        and ($service is null or service_name = $service)
),

known as (
    select distinct agent
    from used
    where hour < $since::timestamp
),

new as (
    select
        used.agent,
        used.what,
        used.value,
        min(used.first_started_at) filter (
            where $version::varchar is null or used.agent_version = $version::varchar
        ) as first_run_at
    from used
    inner join known using (agent)
    where used.value <> ''
    group by used.agent, used.what, used.value
    having min(used.hour) >= $since::timestamp
)

select
    agent,
    what,
    value,
    first_run_at
from new
where first_run_at is not null
union all
select
    coalesce(agent_name, service_name) as agent,
    'prompt' as what,
    concat_ws('@', prompt_name, prompt_version) as value,
    min(started_at) filter (where $version::varchar is null or agent_version = $version::varchar) as first_run_at
from selected_runs($since::timestamp - interval 28 day, $until::timestamp, $agent, null, $environment)
where
    prompt_name is not null
    and coalesce(agent_name, service_name) in (select known.agent from known)
    and ($service is null or service_name = $service)
group by all
having min(started_at) >= $since::timestamp and first_run_at is not null
union all
select
    coalesce(runs.agent_name, runs.service_name) as agent,
    'definition of tool' as what,
    tools.name as value,
    min(runs.started_at) as first_run_at
from offered_tools as tools
inner join selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment) as runs
    on
        tools.first_offered_at = runs.started_at
        and tools.first_agent_trace_id = runs.agent_trace_id
where
    coalesce(runs.agent_name, runs.service_name) in (select known.agent from known)
    and ($service is null or runs.service_name = $service)
group by coalesce(runs.agent_name, runs.service_name), tools.name
order by first_run_at, agent, what, value
limit $limit;
