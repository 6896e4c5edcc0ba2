-- statement: insert_deferred_targets
-- purpose:   defers some targets for an evaluator
-- reads:     deferrals
-- note:      deferred_targets is registered by the writer: each target, until when, why, and the kind of reason
insert into deferrals by name
select
    target_id,
    $scope as scope,
    $evaluator as evaluator,
    not_before,
    $priority as priority,
    reason,
    kind
from deferred_targets;
