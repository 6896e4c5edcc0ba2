-- statement: new_feedback
-- purpose:   what the arriving feedback is about that is not kept yet
-- reads:     feedback
-- note:      arriving_feedback is registered by the writer.
select distinct
    trace_id,
    session_id
from arriving_feedback as arriving
where not exists (
    select 1
    from feedback as kept
    where kept.scored_at = arriving.scored_at and kept.score_id = arriving.score_id
);
