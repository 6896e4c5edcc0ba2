-- report:  offers_of_tools
-- purpose: the tools that runs of a period offered to their models, and how many did
-- grain:   tool
-- reads:   tool_definitions, agent_traces
select
    definitions.name as tool,
    count(distinct definitions.agent_trace_id) as runs,
    list(distinct coalesce(runs.agent_name, runs.service_name))
    filter (where coalesce(runs.agent_name, runs.service_name) is not null) as agents
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
group by definitions.name
order by runs desc, tool
limit $limit;
