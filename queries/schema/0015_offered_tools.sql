-- table:   offered_tools
-- purpose: internal. Each tool definition once, in the order in which they came up: what evaluators of scope tool judge
-- grain:   definition_hash
create table offered_tools (
    definition_hash varchar not null,
    name varchar not null,
    description varchar,
    input_schema json,
    seq bigint not null
);

insert into offered_tools
select
    definition_hash,
    any_value(name) as name,
    any_value(description) as description,
    any_value(input_schema) as input_schema,
    row_number() over (order by definition_hash) as seq
from tool_definitions
group by definition_hash;
