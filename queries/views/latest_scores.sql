-- view:    latest_scores
-- purpose: the active scores: one a target, evaluator, kind and author
-- grain:   target_id, evaluator, evaluator_kind, author
-- reads:   scores
-- note:    scores from elsewhere may judge one span of a run: their grain has span_id, too.
create or replace view latest_scores as
select * exclude (superseded_at, superseded_reason)
from scores
where superseded_at is null;
