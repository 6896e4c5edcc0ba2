-- statement: enrol_evaluator
-- purpose:   an evaluator that is new, or new in this form, starts with the runs that come from now on; one of scope
--            tool with the tools that are known, for they are still offered
-- reads:     evaluator_cursors, agent_traces
insert into evaluator_cursors
select
    $evaluator as evaluator,
    $evaluator_version as evaluator_version,
    $config_hash as config_hash,
    case when $scope = 'tool' then 0 else (select coalesce(max(assembled_seq), 0) from agent_traces) end as seq
where not exists (
    select 1
    from evaluator_cursors
    where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
);
