-- statement: due_runs
-- purpose:   the runs that are due for an evaluator: new revisions beyond its cursor, then runs that were deferred
--            until now
-- grain:     agent_trace_id
-- reads:     agent_traces, evaluator_cursors, deferrals
-- note:      runs of experiments are never due. A deferred run with a newer revision is due as a new one. Runs after
--            $through are left to a later call, those after $reach until the evaluators in $after are done with them.
--            Services take turns among the next $window new runs, and among the deferred ones. New runs before the last
--            chosen one whose turn has not come have is_chosen = false: the cursor passes them. An evaluator that was
--            never enrolled in its present form has evaluated nothing. A run that is deferred both for the evaluator
--            and for one of $after stays deferred.
with cursor_of_evaluator as (
    select seq
    from evaluator_cursors
    where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
),

unseen as (
    select
        agent_trace_id,
        assembled_seq,
        revision,
        service_name,
        0 as priority
    from agent_traces
    where
        assembled_seq > (select seq from cursor_of_evaluator)
        and assembled_seq <= $reach
        and assembled_seq <= $through
        and experiment_id is null
    order by assembled_seq
    limit $window
),

due as (
    select * from unseen
    union all
    select
        runs.agent_trace_id,
        runs.assembled_seq,
        runs.revision,
        runs.service_name,
        own_deferred.priority
    from deferrals as own_deferred
    inner join agent_traces as runs on own_deferred.target_id = runs.agent_trace_id
    where
        own_deferred.evaluator = $evaluator
        and own_deferred.not_before <= $now
        and runs.assembled_seq <= (select seq from cursor_of_evaluator)
        and runs.assembled_seq <= $reach
        and runs.experiment_id is null
        and own_deferred.target_id not in (
            select target_id
            from deferrals
            where list_contains($after::varchar[], evaluator)
        )
),

turns as (
    select
        *,
        row_number() over (partition by priority, service_name order by assembled_seq) as turn
    from due
),

ordered as (
    select
        *,
        row_number() over (order by priority, turn, assembled_seq) <= $limit as is_chosen
    from turns
)

select
    agent_trace_id,
    assembled_seq,
    revision,
    is_chosen
from ordered
qualify
    is_chosen
    or (priority = 0 and assembled_seq < max(assembled_seq) filter (where is_chosen and priority = 0) over ())
order by priority, turn, assembled_seq;
