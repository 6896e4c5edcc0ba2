-- statement: insert_backfill
-- purpose:   asks for verdicts of an evaluator on runs of the past; those that wait already are hastened elsewhere
-- reads:     due_later, agent_traces, scores
-- note:      unless $again only runs that have no verdict of the evaluator in this form in their present revision.
insert into due_later by name
select
    runs.agent_trace_id as target_id,
    $scope as scope,
    $evaluator as evaluator,
    runs.revision,
    $now as not_before,
    $priority as priority,
    'backfill' as reason
from agent_traces as runs
where
    runs.started_at between $earliest and $latest
    and ($every or runs.agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31)))))
    and not exists (
        select 1
        from due_later as waiting
        where waiting.evaluator = $evaluator and waiting.target_id = runs.agent_trace_id
    )
    and (
        $again
        or not exists (
            select 1
            from scores as judged
            where
                judged.evaluator = $evaluator
                and judged.evaluator_version = $evaluator_version
                and judged.config_hash = $config_hash
                and judged.agent_trace_id = runs.agent_trace_id
                and judged.revision = runs.revision
                and judged.status <> 'error'
        )
    )
returning target_id;
