-- report:  changes_of_agents
-- purpose: what is new in the runs of a period: versions and models that the agent did not use in the 28 days before,
--          and definitions of tools that no run offered before
-- grain:   agent, what, value
-- reads:   run_hours_between, selected_runs, offered_tools, tool_definitions
-- note:    agents without runs in these 28 days are left out. Sorted by the time of the first run.
with used as materialized (
    select
        coalesce(nullif(agent_name, ''), service_name) as agent,
        hour,
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
        used.value
    from used
    inner join known using (agent)
    where used.value <> ''
    group by used.agent, used.what, used.value
    having min(used.hour) >= $since::timestamp
),

runs_of_agents as (
    select
        agent_trace_id,
        coalesce(agent_name, service_name) as agent,
        agent_version,
        model,
        started_at
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where $service is null or service_name = $service
),

offered as (
    select
        definitions.agent_trace_id,
        tools.name,
        tools.definition_hash
    from offered_tools as tools
    inner join tool_definitions as definitions on tools.definition_hash = definitions.definition_hash
    where tools.first_offered_at >= $since::timestamp and tools.first_offered_at < $until::timestamp
)

select
    new.agent,
    new.what,
    new.value,
    min(runs.started_at) as first_run_at
from new
inner join runs_of_agents as runs on new.agent = runs.agent
where new.value = case new.what when 'version' then runs.agent_version else runs.model end
group by new.agent, new.what, new.value
union all
select
    runs.agent,
    'definition of tool' as what,
    offered.name as value,
    min(runs.started_at) as first_run_at
from offered
inner join runs_of_agents as runs on offered.agent_trace_id = runs.agent_trace_id
inner join known on runs.agent = known.agent
group by runs.agent, offered.name
order by first_run_at, agent, what, value
limit $limit;
