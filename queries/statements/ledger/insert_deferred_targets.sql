-- statement: insert_deferred_targets
-- purpose:   defers some targets for an evaluator
-- reads:     due_later
-- note:      deferred_targets is registered by the writer: each target, until when, and why.
insert into due_later by name
select
    target_id,
    $scope as scope,
    $evaluator as evaluator,
    not_before,
    $priority as priority,
    reason
from deferred_targets;
