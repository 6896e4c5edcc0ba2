-- statement: insert_feedback
-- purpose:   keeps the arriving feedback that is not kept yet
-- reads:     feedback
-- note:      arriving_feedback is registered by the writer, each score_id once.
insert into feedback by name
select arriving.*
from arriving_feedback as arriving
where not exists (
    select 1
    from feedback as kept
    where kept.scored_at = arriving.scored_at and kept.score_id = arriving.score_id
);
