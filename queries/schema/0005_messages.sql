-- table:   messages
-- purpose: the conversation of an agent run with its model, each message once
-- grain:   agent_trace_id, position
create table messages (
    agent_trace_id varchar not null,
    trace_id varchar not null,
    position bigint not null,
    role varchar not null,
    name varchar,
    content varchar, -- its text parts
    parts json not null,
    span_id varchar, -- the model call that first showed it
    time timestamp
);
