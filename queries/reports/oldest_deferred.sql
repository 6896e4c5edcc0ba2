-- report:  oldest_deferred
-- purpose: when the oldest deferred run or session of each evaluator ended, for /metrics
-- grain:   evaluator
-- reads:   deferrals, agent_traces
-- note:    reads the ids of all runs, so it is used rarely and only where targets are deferred. Tools have no time, and
--          a session that still goes on is not late.
with deferred as (
    select
        evaluator,
        target_id,
        scope
    from deferrals
    where priority < $backfill and kind <> 'session_active'
),

ended as (
    select
        deferred.evaluator,
        runs.agent_trace_id as target_id,
        least(coalesce(runs.ended_at, runs.assembled_at), runs.assembled_at) as ended_at
    from deferred
    inner join agent_traces as runs on deferred.target_id = runs.agent_trace_id
    where deferred.scope <> 'session' and runs.experiment_id is null
    union all
    select
        deferred.evaluator,
        deferred.target_id,
        max(least(coalesce(runs.ended_at, runs.assembled_at), runs.assembled_at)) as ended_at
    from deferred
    inner join agent_traces as runs on deferred.target_id = 'session:' || runs.session_id
    where deferred.scope = 'session' and runs.experiment_id is null
    group by deferred.evaluator, deferred.target_id
)

select
    evaluator,
    min(ended_at) as oldest_at
from ended
group by evaluator;
