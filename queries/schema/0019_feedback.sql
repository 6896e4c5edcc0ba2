-- table:   feedback
-- purpose: internal. Verdicts from elsewhere, with what they judge in the words of their senders; scores has those
--          whose target is known
-- grain:   score_id
-- note:    the spans that come later may put what was judged into another run: then the row in scores follows.
create table feedback (
    score_id varchar not null,
    trace_id varchar, -- null: a conversation is judged
    span_id varchar,
    response_id varchar,
    tool_call_id varchar,
    tool_call_position bigint,
    session_id varchar, -- null: something in a trace is judged
    named varchar, -- what an annotation named, in its own words; the columns before hold what that meant when it came
    evaluator varchar not null,
    evaluator_type varchar not null, -- log_event, span_event, span_attributes, annotation
    evaluator_kind varchar not null, -- human, external
    author varchar not null,
    scored_at timestamp not null, -- by the sender's clock
    value double,
    label varchar,
    passed boolean,
    explanation varchar,
    details json not null,
    status varchar not null,
    reason varchar
);
