-- report:  deferred_targets
-- purpose: until when some targets are deferred for evaluators, and why; the lowest priority goes first
-- grain:   target_id, evaluator
-- reads:   deferrals
select
    target_id,
    evaluator,
    not_before,
    priority,
    reason
from deferrals
where target_id in (select unnest($target_ids::varchar[]));
