-- statement: insert_backfill
-- purpose:   asks for scores of an evaluator on runs of the past, or on the sessions that had a turn then; those that
--            wait already are hastened elsewhere
-- reads:     due_later, agent_traces, scores
-- note:      unless $again only runs that have no score of the evaluator in this form in their present revision, and
--            sessions on which none is active.
insert into due_later by name
with meant as (
    select case when $scope = 'session' then 'session:' || runs.session_id else runs.agent_trace_id end as target_id
    from agent_traces as runs
    where
        runs.started_at between $earliest and $latest
        and ($scope <> 'session' or (runs.session_id is not null and runs.parent_agent_trace_id is null))
        and ($every or runs.agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31)))))
        and (
            $again
            or $scope = 'session'
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
        and (
            $again
            or $scope <> 'session'
            or not exists (
                select 1
                from scores as judged
                where
                    judged.evaluator = $evaluator
                    and judged.evaluator_version = $evaluator_version
                    and judged.config_hash = $config_hash
                    and judged.target_id = 'session:' || runs.session_id
                    and judged.superseded_at is null
                    and judged.status <> 'error'
            )
        )
)

select distinct
    meant.target_id,
    $scope as scope,
    $evaluator as evaluator,
    $now as not_before,
    $priority as priority,
    'backfill' as reason
from meant
where
    not exists (
        select 1
        from due_later as waiting
        where waiting.evaluator = $evaluator and waiting.target_id = meant.target_id
    )
returning target_id;
