-- table:   tool_definitions
-- purpose: the tools that a run offered to its model
-- grain:   agent_trace_id, position
create table tool_definitions (
    agent_trace_id varchar not null,
    trace_id varchar not null,
    position bigint not null,
    name varchar not null,
    description varchar,
    input_schema json, -- JSON Schema; null: not recorded
    definition_hash varchar not null -- the same for the same name, description and schema
);
