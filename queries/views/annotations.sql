-- view:    annotations
-- purpose: scores of people, which never replace those of an evaluator
-- grain:   target_id, evaluator, author
-- reads:   latest_scores
create or replace view annotations as
select *
from latest_scores
where evaluator_kind = 'human';
