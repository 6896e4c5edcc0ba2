-- view:    latest_scores
-- purpose: the verdicts in force: one a target, evaluator, kind and author
-- grain:   target_id, evaluator, evaluator_kind, author
-- reads:   scores
create or replace view latest_scores as
select * exclude (superseded_at)
from scores
where superseded_at is null;
