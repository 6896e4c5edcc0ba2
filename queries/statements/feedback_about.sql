-- statement: feedback_about
-- purpose:   the feedback on some traces and sessions
-- reads:     feedback
-- note:      what is named is registered by the writer: named_subjects.
select
    score_id,
    trace_id,
    span_id,
    response_id,
    tool_call_id,
    tool_call_position,
    session_id,
    scored_at
from feedback
where
    trace_id in (select trace_id from named_subjects)
    or session_id in (select session_id from named_subjects);
