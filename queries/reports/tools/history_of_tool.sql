-- report:  history_of_tool
-- purpose: every definition of a tool that runs of production ever offered, the newest first, with the runs of a period
--          that offered it
-- grain:   definition_hash
-- reads:   offered_tools, tool_definitions, agent_traces
with offers as (
    select
        definitions.definition_hash,
        count(*) as runs,
        max(runs.started_at) as last_offered_at,
        list(distinct coalesce(runs.agent_name, runs.service_name))
        filter (where coalesce(runs.agent_name, runs.service_name) is not null) as agents,
        list(distinct runs.agent_version) filter (where runs.agent_version is not null) as agent_versions
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
        and ($service is null or runs.service_name = $service)
    group by definitions.definition_hash
)

select
    offered.definition_hash,
    offered.description,
    offered.input_schema::varchar as input_schema,
    offered.first_offered_at,
    coalesce(offers.runs, 0) as runs,
    offers.last_offered_at,
    list_sort(coalesce(offers.agents, []))[:100] as agents,
    list_sort(coalesce(offers.agent_versions, []))[:100] as agent_versions
from offered_tools as offered
left join offers using (definition_hash)
where offered.name = $name
order by offered.first_offered_at desc nulls last, offered.seq desc
limit $limit;
