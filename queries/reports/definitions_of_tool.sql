-- report:  definitions_of_tool
-- purpose: the definitions of a tool that runs of production offered which began from $since until $until, the newest
--          first, with the first hundred agents and versions of them
-- grain:   definition_hash
-- reads:   tool_definitions, agent_traces
select
    definitions.definition_hash,
    any_value(definitions.description) as description,
    any_value(definitions.input_schema)::varchar as input_schema,
    count(*) as runs,
    min(runs.started_at) as first_offered_at,
    max(runs.started_at) as last_offered_at,
    list_sort(
        list(distinct coalesce(runs.agent_name, runs.service_name))
        filter (where coalesce(runs.agent_name, runs.service_name) is not null)
    )[:100] as agents,
    list_sort(
        list(distinct runs.agent_version) filter (where runs.agent_version is not null)
    )[:100] as agent_versions
from tool_definitions as definitions
inner join agent_traces as runs on definitions.agent_trace_id = runs.agent_trace_id
where
    definitions.name = $name
    and runs.experiment_id is null
    and runs.started_at >= $since::timestamp
    and runs.started_at < $until::timestamp
    and ($agent is null or coalesce(runs.agent_name, runs.service_name) = $agent)
    and ($version::varchar is null or runs.agent_version = $version::varchar)
    and ($environment is null or runs.environment = $environment)
group by definitions.definition_hash
order by last_offered_at desc, definitions.definition_hash
limit $limit;
