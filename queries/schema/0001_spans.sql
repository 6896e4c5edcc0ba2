-- table:   spans
-- purpose: every span as it was received; the truth that everything else is rebuilt from
-- grain:   trace_id, span_id
-- note:    append-only, no key and no index: a repeated export is dropped on arrival.
--          Times are UTC. start_time and end_time carry microseconds, start_ns and end_ns the exact nanoseconds.
--          Attribute columns are flat JSON objects by attribute key.
create table spans (
    trace_id varchar not null,
    span_id varchar not null,
    parent_span_id varchar,
    parent_is_remote boolean, -- null: the exporter did not say
    name varchar not null,
    kind varchar, -- internal, server, client, producer, consumer
    start_time timestamp not null,
    end_time timestamp not null,
    start_ns bigint not null,
    end_ns bigint not null,
    duration_ms double, -- null: it ended before it began, or a time is not known
    status_code varchar not null, -- unset, ok, error
    status_message varchar,
    service_name varchar,
    service_version varchar,
    deployment_environment varchar,
    scope_name varchar,
    scope_version varchar,
    operation_name varchar,
    provider_name varchar,
    request_model varchar,
    response_model varchar,
    response_id varchar,
    agent_name varchar,
    agent_id varchar,
    session_id varchar,
    tool_name varchar,
    tool_call_id varchar,
    input_tokens bigint,
    output_tokens bigint,
    error_type varchar,
    attributes json not null,
    events json not null, -- [{name, time_ns, attributes}]
    links json not null, -- [{trace_id, span_id, attributes}]
    resource json not null,
    ingested_at timestamp not null,
    batch_seq bigint not null -- the commit that brought it, counted up
);
