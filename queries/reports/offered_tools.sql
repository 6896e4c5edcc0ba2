-- report:  offered_tools
-- purpose: the tools that runs of production offered to their models, each definition once
-- grain:   definition_hash
-- reads:   tool_definitions, agent_traces
select
    any_value(tool_definitions.name) as name,
    any_value(tool_definitions.description) as description,
    any_value(tool_definitions.input_schema)::varchar as input_schema,
    count(*) as runs
from tool_definitions
inner join agent_traces as runs using (agent_trace_id)
where runs.experiment_id is null
group by tool_definitions.definition_hash
order by name, runs desc;
