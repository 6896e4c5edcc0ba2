-- statement: insert_feedback
-- purpose:   stores the arriving feedback that is not stored yet
-- reads:     feedback
-- note:      arriving_feedback is registered by the writer, each score_id once.
insert into feedback by name
select arriving.*
from arriving_feedback as arriving
where not exists (
    select 1
    from feedback as stored
    where stored.scored_at = arriving.scored_at and stored.score_id = arriving.score_id
);
