-- report:  offers_of_tools
-- purpose: the tools that runs of a period offered to their models, but that none of them called, how many offered
--          each, and the first ten of their agents
-- grain:   tool
-- reads:   tool_definitions, agent_traces, selected_runs
-- note:    of the tools whose name contains $search, the most offered $limit; `total` is how many there are.
with called as (
    select unnest(tools) as tool
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version::varchar, $environment)
    where $service is null or service_name = $service
)

select
    definitions.name as tool,
    count(distinct definitions.agent_trace_id) as runs,
    list_sort(
        list(distinct coalesce(runs.agent_name, runs.service_name))
        filter (where coalesce(runs.agent_name, runs.service_name) is not null)
    )[:10] as agents,
    count(*) over () as total
from tool_definitions as definitions
inner join agent_traces as runs on definitions.agent_trace_id = runs.agent_trace_id
where
    runs.experiment_id is null
    and runs.started_at >= $since::timestamp
    and runs.started_at < $until::timestamp
    and ($agent is null or coalesce(runs.agent_name, runs.service_name) = $agent)
    and ($version::varchar is null or runs.agent_version = $version::varchar)
    and ($environment is null or runs.environment = $environment)
    and ($service is null or runs.service_name = $service)
    and ($search::varchar is null or contains(lower(definitions.name), lower($search)))
    and definitions.name not in (select called.tool from called)
group by definitions.name
order by runs desc, tool
limit $limit;
