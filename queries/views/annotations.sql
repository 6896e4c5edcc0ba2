-- view:    annotations
-- purpose: what people said; a person's score never hides that of a machine
-- grain:   target_id, evaluator, author
-- reads:   latest_scores
create or replace view annotations as
select *
from latest_scores
where evaluator_kind = 'human';
