-- table:   executions
-- purpose: internal. Tool calls that were recorded alone in a trace of their own: one whose id is that of a call of a
--          run is that call, and no run
-- grain:   agent_trace_id, tool_call_id
create table executions (
    agent_trace_id varchar not null, -- of the run that the span would be alone
    trace_id varchar not null,
    service_name varchar,
    session_id varchar,
    run_started_at timestamp not null,
    tool_call_id varchar not null,
    name varchar not null,
    span_id varchar,
    started_at timestamp,
    duration_ms double,
    result varchar,
    error varchar,
    status varchar
);
