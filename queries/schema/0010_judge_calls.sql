-- table:   judge_calls
-- purpose: every question put to a judge model and its answer, so that none is paid for twice
-- grain:   judge_call_id
-- note:    status is ok; unusable, where the answer is no verdict; error, where there is no answer; or pending, where
--          it was asked in a batch whose answers are still to come. The answer takes the place of a pending row.
create table judge_calls (
    judge_call_id varchar not null,
    request_hash varchar not null,
    evaluator varchar not null,
    target_id varchar not null,
    pass_id varchar,
    judge varchar not null,
    model varchar not null,
    request json, -- null: from_cache
    response json, -- null: from_cache, or no answer
    from_cache boolean not null,
    status varchar not null, -- ok, unusable, error, pending
    error varchar,
    input_tokens bigint,
    output_tokens bigint,
    cost_usd double, -- null: nobody knows the price
    batch_id varchar, -- the judge's id of the batch that it was asked in
    started_at timestamp not null,
    duration_ms double
);
