-- table:   llm_calls
-- purpose: every call of a model within an agent run
-- grain:   agent_trace_id, position
create table llm_calls (
    agent_trace_id varchar not null,
    trace_id varchar not null,
    position bigint not null,
    span_id varchar,
    provider_name varchar,
    request_model varchar,
    response_model varchar,
    response_id varchar,
    finish_reasons json, -- list of texts
    input_tokens bigint, -- cached ones included
    output_tokens bigint, -- reasoning included
    cached_input_tokens bigint,
    reasoning_tokens bigint,
    cost_usd double,
    started_at timestamp,
    duration_ms double,
    time_to_first_token_ms double,
    is_retry boolean not null,
    error varchar
);
