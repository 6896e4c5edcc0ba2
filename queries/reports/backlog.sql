-- report:  backlog
-- purpose: the progress of evaluators, each in one form: new targets, deferred targets, targets of backfills, and the
--          numbers of the last pass
-- grain:   evaluator
-- reads:   evaluator_cursors, paused_evaluators, deferrals, agent_traces, offered_tools, evaluation_passes
-- note:    oldest_at is when the oldest new or deferred run was assembled. A tool has no time. Evaluators with the same
--          cursor are counted once. $backfill is the priority of targets of backfills.
with asked as (
    select
        unnest($evaluators::varchar[]) as evaluator,
        unnest($evaluator_versions::bigint[]) as evaluator_version,
        unnest($config_hashes::varchar[]) as config_hash
),

enrolled as (
    select cursors.*
    from asked
    inner join evaluator_cursors as cursors using (evaluator, evaluator_version, config_hash)
),

new_runs as (
    select
        cursors.scope,
        cursors.seq,
        case when cursors.scope = 'session' then count(distinct runs.session_id) else count(*) end as targets,
        min(runs.assembled_at) as oldest_at
    from (
        select distinct
            case when scope = 'session' then scope else 'trace' end as scope,
            seq
        from enrolled
        where scope <> 'tool'
    ) as cursors
    inner join agent_traces as runs
        on
            cursors.seq < runs.assembled_seq
            and runs.experiment_id is null
            and (cursors.scope = 'trace' or runs.session_id is not null)
    group by cursors.scope, cursors.seq
),

new_tools as (
    select
        cursors.seq,
        count(*) as targets
    from (
        select distinct seq
        from enrolled
        where scope = 'tool'
    ) as cursors
    inner join offered_tools as tools on cursors.seq < tools.seq
    group by cursors.seq
),

deferred as (
    select
        later.evaluator,
        count(*) filter (where later.priority < $backfill) as targets,
        count(*) filter (where later.priority = $backfill) as backfill,
        min(later.not_before) filter (where later.priority < $backfill) as next_at,
        arg_min(later.reason, later.not_before) filter (where later.priority < $backfill) as reason,
        min(runs.assembled_at) filter (where later.priority < $backfill) as oldest_at
    from deferrals as later
    left join agent_traces as runs on later.target_id = runs.agent_trace_id and later.priority < $backfill
    where later.evaluator in (select evaluator from asked)
    group by later.evaluator
),

last_passes as (
    select
        evaluator,
        max(started_at) as last_at,
        arg_max(due, started_at) as last_due,
        arg_max(errors, started_at) as last_errors
    from evaluation_passes
    where evaluator in (select evaluator from asked)
    group by evaluator
)

select
    asked.evaluator,
    enrolled.enrolled_at,
    enrolled.first_seq,
    enrolled.seq,
    enrolled.selection,
    enrolled.selected_seq,
    enrolled.selected_at,
    paused.paused_at,
    coalesce(new_runs.targets, new_tools.targets, 0) as new,
    coalesce(deferred.targets, 0) as deferred,
    deferred.reason as deferred_reason,
    deferred.next_at as deferred_until,
    coalesce(deferred.backfill, 0) as backfill,
    least(new_runs.oldest_at, deferred.oldest_at) as oldest_at,
    last_passes.last_at,
    last_passes.last_due,
    last_passes.last_errors
from asked
left join enrolled using (evaluator)
left join paused_evaluators as paused using (evaluator)
left join new_runs
    on
        enrolled.seq = new_runs.seq
        and enrolled.scope <> 'tool'
        and new_runs.scope = case when enrolled.scope = 'session' then 'session' else 'trace' end
left join new_tools on enrolled.seq = new_tools.seq and enrolled.scope = 'tool'
left join deferred using (evaluator)
left join last_passes using (evaluator);
