-- statement: enrol_evaluator
-- purpose:   an evaluator that is new, or new in this form, starts with the runs that come from now on; one of scope
--            tool with the tools that are known, for they are still offered
-- reads:     evaluator_cursors, agent_traces
insert into evaluator_cursors
select
    $evaluator as evaluator,
    $evaluator_version as evaluator_version,
    $config_hash as config_hash,
    $scope as scope,
    known.seq as first_seq,
    known.seq,
    $now as enrolled_at,
    $selected_by as selection,
    known.seq as selected_seq,
    $now as selected_at
from (
    select case when $scope = 'tool' then 0 else coalesce(max(assembled_seq), 0) end as seq
    from agent_traces
) as known
where
    not exists (
        select 1
        from evaluator_cursors
        where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
    )
returning seq;
