-- statement: enrol_evaluator
-- purpose:   inserts the cursor of an evaluator that is new, or new in this form: it starts with the runs that arrive
--            from now on; one of scope tool starts with the tools that are stored, since they are still offered
-- reads:     evaluator_cursors, agent_traces
insert into evaluator_cursors
select
    $evaluator as evaluator,
    $evaluator_version as evaluator_version,
    $config_hash as config_hash,
    $scope as scope,
    latest.seq as first_seq,
    latest.seq,
    $now as enrolled_at,
    $selected_by as selection,
    latest.seq as selected_seq,
    $now as selected_at
from (
    select case when $scope = 'tool' then 0 else coalesce(max(assembled_seq), 0) end as seq
    from agent_traces
) as latest
where
    not exists (
        select 1
        from evaluator_cursors
        where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
    )
returning seq;
