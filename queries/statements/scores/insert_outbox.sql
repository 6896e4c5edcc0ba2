-- statement: insert_outbox
-- purpose:   queues the new ones of the arriving scores of production for export.endpoint, in the order of their rows
-- reads:     scores
-- note:      arriving_scores is registered by the writer. Runs before insert_scores, which stores them.
insert into outbox
select
    $last_position + row_number() over () as position,
    arriving.score_id
from arriving_scores as arriving
where
    arriving.experiment_id is null
    and not exists (
        select 1
        from scores as stored
        where stored.target_time is not distinct from arriving.target_time and stored.score_id = arriving.score_id
    );
