-- table:   score_hours
-- purpose: internal. A copy of what score_hours_of counts: active scores by the hour in which the outermost run began
-- grain:   hour, agent_name, agent_version, environment, service_name, evaluator, evaluator_kind
-- note:    rows of hours in changed_hours are not to be believed; score_hours_between leaves them out.
create table score_hours (
    hour timestamp not null,
    agent_name varchar not null, -- '': not recorded; so in all of these names
    agent_version varchar not null,
    environment varchar not null,
    service_name varchar not null,
    evaluator varchar not null,
    evaluator_kind varchar not null,
    scored bigint not null,
    passed bigint not null,
    failed bigint not null,
    failed_runs bigint not null, -- outermost runs with a failed score
    skipped bigint not null,
    errors bigint not null,
    valued bigint not null,
    value_nano hugeint, -- null: none recorded; so in all sums
    priced bigint not null,
    cost_nanousd hugeint
);
