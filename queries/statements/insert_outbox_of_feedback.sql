-- statement: insert_outbox_of_feedback
-- purpose:   queues for export.endpoint what people said here; what came from elsewhere is known there
-- reads:     feedback
insert into outbox
select
    $last_position + row_number() over (order by scored_at, score_id) as position,
    score_id
from feedback
where evaluator_kind = 'human' and score_id in (select unnest(string_split($score_ids, chr(31))));
