-- statement: insert_scores
-- purpose:   keeps the arriving verdicts, each once
-- reads:     scores
insert into scores by name
select arriving.* replace ($pass_id as pass_id)
from arriving_scores as arriving
where not exists (
    select 1
    from scores as kept
    where kept.target_time is not distinct from arriving.target_time and kept.score_id = arriving.score_id
);
