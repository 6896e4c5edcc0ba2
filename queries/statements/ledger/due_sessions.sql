-- statement: due_sessions
-- purpose:   the sessions that have new runs for an evaluator, or that were deferred until now: the seq of their newest
--            run among those that are read, when a run of theirs was last assembled (null: no turn is left), and
--            whether there may be more
-- reads:     agent_traces, evaluator_cursors, deferrals
-- note:      the cursor also passes runs without a session: they come as one row without a target. Runs of sub-agents
--            are not turns; those of experiments belong to no session here.
with cursor_of_evaluator as (
    select seq
    from evaluator_cursors
    where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
),

new_runs as (
    select
        session_id,
        assembled_seq
    from agent_traces
    where
        assembled_seq > (select seq from cursor_of_evaluator)
        and assembled_seq <= $through
        and experiment_id is null
    order by assembled_seq
    limit $limit
),

deferred as (
    select substr(target_id, 9) as session_id
    from deferrals
    where
        evaluator = $evaluator
        and not_before <= $now
        and not exists (
            select 1
            from new_runs
            where 'session:' || new_runs.session_id = deferrals.target_id
        )
    order by not_before, target_id
    limit $limit
),

due as (
    select
        session_id,
        max(assembled_seq) as seq
    from new_runs
    group by session_id
    union all
    select
        session_id,
        0 as seq
    from deferred
)

select
    'session:' || due.session_id as target_id,
    due.seq,
    case
        when count(runs.agent_trace_id) > count(runs.parent_agent_trace_id) then max(runs.assembled_at)
    end as last_at,
    (select count(*) from new_runs) >= $limit or (select count(*) from deferred) >= $limit as is_full
from due
left join agent_traces as runs on due.session_id = runs.session_id and runs.experiment_id is null
group by all
order by due.seq;
