-- view:    latest_scores
-- purpose: the active scores of production: one per target, evaluator, kind and author
-- grain:   target_id, evaluator, evaluator_kind, author
-- reads:   scores
-- note:    external scores may be on one span of a run: their grain includes span_id.
create or replace view latest_scores as
select * exclude (superseded_at, superseded_reason, experiment_id)
from scores
where superseded_at is null and experiment_id is null;
