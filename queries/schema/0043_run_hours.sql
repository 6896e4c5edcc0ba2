-- table:   run_hours
-- purpose: internal. A copy of what run_hours_of counts: runs by the hour in which they began
-- grain:   hour, agent_name, agent_version, environment, service_name, model
-- note:    rows of hours in changed_hours are not to be believed; run_hours_between leaves them out.
create table run_hours (
    hour timestamp not null,
    agent_name varchar not null, -- '': not recorded; so in all of these names
    agent_version varchar not null,
    environment varchar not null,
    service_name varchar not null,
    model varchar not null,
    first_started_at timestamp not null,
    runs bigint not null,
    error_runs bigint not null,
    failing_runs bigint not null, -- with those that ended in an error
    passed_runs bigint not null,
    scored_runs bigint not null,
    partial_runs bigint not null,
    input_tokens hugeint, -- null: none recorded; so in all sums
    output_tokens hugeint,
    priced_runs bigint not null,
    cost_nanousd hugeint,
    cost_squares hugeint,
    failing_cost_nanousd hugeint,
    timed_runs bigint not null,
    duration_ms hugeint,
    duration_squares hugeint
);
