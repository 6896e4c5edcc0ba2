-- report:  changes_of_agents
-- purpose: what is new in the runs of a period: versions and models that the agent did not use in the 28 days before,
--          and definitions of tools that it began to offer
-- grain:   agent, what, value
-- reads:   run_hours_between, selected_runs, tool_definitions
-- note:    agents without runs in these 28 days are left out. A definition is new if those of the tool that the agent
--          offered earlier in the period ended before it, or within an hour. Sorted by time.
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

new as materialized (
    select
        agent,
        what,
        value
    from used
    where value <> '' and agent in (select known.agent from used as known where known.hour < $since::timestamp)
    group by agent, what, value
    having min(hour) >= $since::timestamp
),

runs_of_agents as materialized (
    select
        agent_trace_id,
        coalesce(agent_name, service_name) as agent,
        agent_version,
        model,
        started_at
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where $service is null or service_name = $service
),

first_runs as (
    select
        new.agent,
        new.what,
        new.value,
        min(runs.started_at) as first_run_at
    from new
    inner join runs_of_agents as runs on new.agent = runs.agent
    where new.value = case new.what when 'version' then runs.agent_version else runs.model end
    group by all
),

offered as (
    select
        runs.agent,
        definitions.name,
        min(runs.started_at) as first_run_at,
        max(runs.started_at) as last_run_at
    from tool_definitions as definitions
    inner join runs_of_agents as runs on definitions.agent_trace_id = runs.agent_trace_id
    group by runs.agent, definitions.name, definitions.definition_hash
),

redefined as (
    select
        agent,
        'definition of tool' as what,
        name as value,
        first_run_at
    from offered
    qualify
        max(last_run_at) over (
            partition by agent, name
            order by first_run_at
            rows between unbounded preceding and 1 preceding
        ) < first_run_at + interval 1 hour
)

select * from first_runs
union all by name
select * from redefined
order by first_run_at, agent, what, value
limit $limit;
