-- statement: subjects_of_new_feedback
-- purpose:   the traces and sessions that the arriving feedback is about, of feedback that is not stored yet
-- reads:     feedback
-- note:      arriving_feedback is registered by the writer.
select distinct
    trace_id,
    session_id
from arriving_feedback as arriving
where not exists (
    select 1
    from feedback as stored
    where stored.scored_at = arriving.scored_at and stored.score_id = arriving.score_id
);
