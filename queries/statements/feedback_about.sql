-- statement: feedback_about
-- purpose:   the feedback on some traces and sessions, as it counts
-- reads:     feedback, believed_feedback
-- note:      what is named is registered by the writer: named_subjects. Few rows of feedback are, and only these are
--            looked at closely.
with about as materialized (
    select *
    from feedback
    where
        trace_id in (select trace_id from named_subjects)
        or session_id in (select session_id from named_subjects)
),

believed as materialized (
    select
        about.*,
        believed_feedback(about, string_split($annotators, chr(31))) as belief
    from about
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
    belief['evaluator'] as evaluator,
    belief['evaluator_kind'] as evaluator_kind,
    belief['author'] as author
from believed;
