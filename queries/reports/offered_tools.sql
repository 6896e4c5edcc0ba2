-- report:  offered_tools
-- purpose: the tools that runs offered to their models, each definition once
-- grain:   definition_hash
-- reads:   tool_definitions
select
    any_value(name) as name,
    any_value(description) as description,
    any_value(input_schema)::varchar as input_schema,
    count(*) as runs
from tool_definitions
group by definition_hash
order by name, runs desc;
