-- statement: insert_outbox_of_feedback
-- purpose:   queues annotations of people that were made here for export.endpoint; the endpoint knows those that came
--            from elsewhere
-- reads:     feedback
insert into outbox
select
    $last_position + row_number() over (order by scored_at, score_id) as position,
    score_id
from feedback
where evaluator_kind = 'human' and score_id in (select unnest(string_split($score_ids, chr(31))));
