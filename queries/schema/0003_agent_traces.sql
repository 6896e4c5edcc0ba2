-- table:   agent_traces
-- purpose: one run of one agent, rebuilt from its spans
-- grain:   agent_trace_id
-- note:    rebuilt whenever late spans change it, which raises revision.
--          Totals over runs count rows without a parent run.
create table agent_traces (
    agent_trace_id varchar not null, -- <trace_id>-<span_id of the agent span>
    trace_id varchar not null,
    agent_span_id varchar not null,
    parent_agent_trace_id varchar,
    session_id varchar,
    user_id varchar,
    agent_name varchar,
    agent_id varchar,
    agent_version varchar,
    service_name varchar,
    service_version varchar,
    environment varchar,
    provider_name varchar,
    model varchar,
    input varchar,
    final_response varchar,
    reasoning_steps json, -- list of texts
    started_at timestamp not null,
    ended_at timestamp,
    duration_ms double,
    error varchar,
    tool_call_count bigint not null,
    llm_call_count bigint not null,
    error_count bigint not null, -- failed tool calls and failed model calls
    input_tokens bigint,
    output_tokens bigint,
    cached_input_tokens bigint,
    cost_usd double,
    dialect varchar,
    completeness varchar not null, -- complete, partial
    gaps json not null, -- list of what was not recorded
    revision bigint not null,
    fingerprint varchar not null,
    assembled_at timestamp not null,
    assembled_seq bigint not null -- counted up with every revision of any run
);
