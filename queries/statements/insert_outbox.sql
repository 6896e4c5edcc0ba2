-- statement: insert_outbox
-- purpose:   queues the arriving verdicts for export.endpoint, in the order of their rows
-- reads:     outbox
insert into outbox
select
    $last_position + row_number() over () as position,
    score_id
from arriving_scores;
