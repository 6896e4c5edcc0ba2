-- statement: feedback_on_subjects
-- purpose:   the feedback on some traces and sessions, with the evaluator, kind and author that it counts as
-- reads:     feedback, attributed_feedback, llm_calls
-- note:      named_subjects is registered by the writer. Few rows of feedback are on them, and only these are read in
--            full.
with named_feedback as materialized (
    select *
    from feedback
    where
        trace_id in (select trace_id from named_subjects)
        or session_id in (select session_id from named_subjects)
        or response_id in (
            select llm_calls.response_id
            from llm_calls
            where llm_calls.trace_id in (select named_subjects.trace_id from named_subjects)
        )
),

attributed as materialized (
    select
        named_feedback.*,
        attributed_feedback(named_feedback, string_split($annotators, chr(31))) as attribution
    from named_feedback
)

select
    score_id,
    trace_id,
    span_id,
    response_id,
    tool_call_id,
    tool_call_position,
    session_id,
    scored_at,
    attribution['evaluator'] as evaluator,
    attribution['evaluator_kind'] as evaluator_kind,
    attribution['author'] as author
from attributed;
