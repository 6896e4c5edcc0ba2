-- table:   logs
-- purpose: every log record as it was received; several conventions send message content only here
-- grain:   log record
-- note:    body is JSON whatever its type on the wire: a string, a number or an object.
create table logs (
    trace_id varchar, -- null: the record belongs to no trace
    span_id varchar,
    event_name varchar,
    time timestamp not null, -- when it happened, else when it was observed
    time_ns bigint not null,
    severity varchar,
    service_name varchar,
    scope_name varchar,
    body json,
    attributes json not null,
    resource json not null,
    ingested_at timestamp not null,
    batch_seq bigint not null
);
