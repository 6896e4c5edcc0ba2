-- table:   judge_calls
-- purpose: every question put to a judge model and its answer, so that none is paid for twice
-- grain:   judge_call_id
create table judge_calls (
    judge_call_id varchar not null,
    request_hash varchar not null,
    evaluator varchar not null,
    target_id varchar not null,
    pass_id varchar,
    judge varchar not null,
    model varchar not null,
    request json not null,
    response json,
    from_cache boolean not null,
    status varchar not null,
    error varchar,
    input_tokens bigint,
    output_tokens bigint,
    cost_usd double,
    started_at timestamp not null,
    duration_ms double
);
