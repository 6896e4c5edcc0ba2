-- table:   tool_calls
-- purpose: what the agent called, with what, and what came back
-- grain:   agent_trace_id, position
-- note:    the union of tool spans and of what the model asked for in its messages, each call once in the run that
--          made it (child_agent_trace_id is null) and again in the runs around that one.
create table tool_calls (
    agent_trace_id varchar not null,
    trace_id varchar not null,
    position bigint not null, -- from 0, in order of time
    tool_call_id varchar,
    name varchar not null,
    args json, -- null: not recorded
    args_text varchar, -- as received when it is no JSON object
    result varchar, -- verbatim; null: not recorded
    error varchar,
    status varchar not null, -- ok, error, not_executed
    started_at timestamp,
    duration_ms double, -- null when recovered from messages
    span_id varchar,
    source varchar not null, -- span, message, both
    agent_name varchar,
    child_agent_trace_id varchar -- the run of a sub-agent that made the call; null where this run made it
);
