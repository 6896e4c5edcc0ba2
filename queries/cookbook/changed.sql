-- report:  changed
-- purpose: What is new: versions, models, tool definitions?
-- grain:   agent, what, value
-- reads:   selected_runs, tool_definitions
-- note:    new is a version, model, service, environment or tool definition that the agent did not use in the 28 days
--          before the period; agents without runs in these days are left out. A tool definition is named by its tool
--          and the first 8 digits of its hash.
with chosen as (
    select
        agent_trace_id,
        coalesce(agent_name, service_name) as agent,
        started_at,
        agent_version,
        model,
        service_name,
        environment
    from selected_runs($since::timestamp - interval 28 day, $until::timestamp, $agent, null, $environment)
),

settings as (
    select
        agent,
        agent_version,
        model,
        service_name,
        environment,
        min(started_at) as first_at,
        count(*) as runs
    from chosen
    group by agent, agent_version, model, service_name, environment
),

used as (
    select
        agent,
        agent_version,
        first_at,
        runs,
        unnest(['version', 'model', 'service', 'environment']) as what,
        unnest([agent_version, model, service_name, environment]) as value
    from settings
    union all by name
    select
        chosen.agent,
        chosen.agent_version,
        'tool definition' as what,
        definitions.name || ' ' || left(definitions.definition_hash, 8) as value,
        min(chosen.started_at) as first_at,
        count(*) as runs
    from tool_definitions as definitions
    inner join chosen on definitions.agent_trace_id = chosen.agent_trace_id
    group by chosen.agent, chosen.agent_version, definitions.name, definitions.definition_hash
)

select
    min(first_at) filter (where $version is null or agent_version = $version) as first_run_at,
    agent,
    what,
    value,
    sum(runs) filter (where $version is null or agent_version = $version)::bigint as runs
from used
where
    value is not null
    and agent in (
        select agent
        from settings
        where first_at < $since::timestamp
    )
group by agent, what, value
having min(first_at) >= $since::timestamp and first_run_at is not null
order by first_run_at desc, agent, what, value;
