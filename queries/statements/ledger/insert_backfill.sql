-- statement: insert_backfill
-- purpose:   makes past runs, or the sessions that had a turn then, due for an evaluator; targets that are deferred
--            already are left to expedite_backfill
-- reads:     deferrals, agent_traces, scores
-- note:      unless $again, only runs without a score of the evaluator in this form on their present revision, and
--            sessions without an active one.
insert into deferrals by name
with covered as (
    select case when $scope = 'session' then 'session:' || runs.session_id else runs.agent_trace_id end as target_id
    from agent_traces as runs
    where
        runs.experiment_id is null
        and runs.started_at between $earliest and $latest
        and ($scope <> 'session' or (runs.session_id is not null and runs.parent_agent_trace_id is null))
        and ($every or runs.agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31)))))
        and (
            $again
            or $scope = 'session'
            or not exists (
                select 1
                from scores as existing
                where
                    existing.experiment_id is null
                    and existing.evaluator = $evaluator
                    and existing.evaluator_version = $evaluator_version
                    and existing.config_hash = $config_hash
                    and existing.agent_trace_id = runs.agent_trace_id
                    and existing.revision = runs.revision
                    and existing.status <> 'error'
            )
        )
        and (
            $again
            or $scope <> 'session'
            or not exists (
                select 1
                from scores as existing
                where
                    existing.experiment_id is null
                    and existing.evaluator = $evaluator
                    and existing.evaluator_version = $evaluator_version
                    and existing.config_hash = $config_hash
                    and existing.target_id = 'session:' || runs.session_id
                    and existing.superseded_at is null
                    and existing.status <> 'error'
            )
        )
)

select distinct
    covered.target_id,
    $scope as scope,
    $evaluator as evaluator,
    $now as not_before,
    $priority as priority,
    'backfill' as reason,
    'backfill' as kind
from covered
where
    not exists (
        select 1
        from deferrals as queued
        where queued.evaluator = $evaluator and queued.target_id = covered.target_id
    )
returning target_id;
