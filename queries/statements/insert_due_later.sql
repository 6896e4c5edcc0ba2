-- statement: insert_due_later
-- purpose:   puts off some targets for an evaluator
-- reads:     due_later, agent_traces
insert into due_later by name
select
    targets.target_id,
    $scope as scope,
    $evaluator as evaluator,
    coalesce(runs.revision, 1) as revision,
    $not_before as not_before,
    $priority as priority,
    $reason as reason
from (select unnest(string_split($target_ids, chr(31))) as target_id) as targets
left join agent_traces as runs on targets.target_id = runs.agent_trace_id;
