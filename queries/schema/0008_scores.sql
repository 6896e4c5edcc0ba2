-- table:   scores
-- purpose: every verdict ever given; those in force are in latest_scores
-- grain:   score_id
-- note:    what a verdict says is never changed. A newer one for the same target, evaluator, kind and author sets
--          superseded_at of the older. Feedback follows what it judges: late spans change where it stands.
create table scores (
    score_id varchar not null,
    target_id varchar not null, -- agent_trace_id | <agent_trace_id>#<position> | session:<id> | tool:<hash>
    scope varchar not null, -- trace, tool_call, session, tool
    agent_trace_id varchar,
    trace_id varchar,
    span_id varchar, -- the span it judges
    tool_call_position bigint,
    session_id varchar,
    agent_name varchar,
    target_time timestamp, -- when the judged thing began
    revision bigint, -- of the AgentTrace that was judged
    evaluator varchar not null, -- the configured name
    evaluator_type varchar not null,
    evaluator_kind varchar not null, -- code, llm, sql, human, external
    evaluator_version bigint not null,
    config_hash varchar not null,
    reference_hash varchar,
    reference_source varchar,
    value double, -- 0 to 1, higher is better; null: nothing to judge
    label varchar,
    passed boolean,
    threshold double,
    explanation varchar,
    details json not null,
    status varchar not null, -- scored, skipped, error
    reason varchar, -- why it was skipped, or what went wrong
    author varchar not null,
    judge_model varchar,
    input_tokens bigint,
    output_tokens bigint,
    cost_usd double,
    duration_ms double,
    pass_id varchar,
    scored_at timestamp not null,
    superseded_at timestamp -- null: in force
);
