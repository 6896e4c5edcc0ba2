-- statement: insert_outbox
-- purpose:   queues those of the arriving scores for export.endpoint that are new, in the order of their rows
-- reads:     scores
-- note:      goes before insert_scores, which makes them old.
insert into outbox
select
    $last_position + row_number() over () as position,
    arriving.score_id
from arriving_scores as arriving
where not exists (
    select 1
    from scores as kept
    where kept.target_time is not distinct from arriving.target_time and kept.score_id = arriving.score_id
);
