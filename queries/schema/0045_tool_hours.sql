-- table:   tool_hours
-- purpose: internal. A copy of what tool_hours_of counts: tool calls by the hour in which the outermost run began
-- grain:   hour, agent_name, agent_version, environment, service_name, tool
-- note:    rows of hours in changed_hours are not to be believed; tool_hours_between leaves them out.
create table tool_hours (
    hour timestamp not null,
    agent_name varchar not null, -- '': not recorded; so in all of these names
    agent_version varchar not null,
    environment varchar not null,
    service_name varchar not null,
    tool varchar not null,
    calls bigint not null,
    errors bigint not null,
    failed_runs bigint not null, -- outermost runs with a failed call
    invalid_runs bigint not null,
    first_faults bigint not null,
    timed_calls bigint not null,
    duration_ms hugeint -- null: none recorded
);
