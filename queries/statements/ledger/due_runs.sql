-- statement: due_runs
-- purpose:   the runs that are due for an evaluator: new revisions beyond its cursor, then runs that were deferred
--            until now; for one that runs after others ($after) also which of these have deferred the run (waits_for),
--            and until when; null: all of them are done with it
-- grain:     agent_trace_id
-- reads:     agent_traces, evaluator_cursors, deferrals
-- note:      a deferred run with a newer revision is due as a new one. Runs assembled after $settled_by are left out,
--            so that a score that costs money is not made worthless by the next span; so are the runs behind the first
--            of them, since a cursor passes every run and a clock may have been set back between two. A run assembled
--            after $now, by a clock that was set back since, is settled. Runs behind $through are left to a later call.
--            Services take turns among the next $window new runs, and among the deferred ones. New runs that come
--            before the last chosen one and whose turn it is not are not is_chosen: the cursor passes them.
--            The cursor never passes that of an evaluator in $after. One that was never enrolled in its present form is
--            done with nothing. A run that is deferred both for the evaluator and for one of $after stays deferred. All
--            is read in one statement: between two, another evaluator could defer a run.
with cursor_of_evaluator as (
    select seq
    from evaluator_cursors
    where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
),

first_unsettled as (
    select coalesce(min(assembled_seq), 9223372036854775807) as seq
    from agent_traces
    where
        assembled_seq > (select seq from cursor_of_evaluator)
        and assembled_at > $settled_by
        and assembled_at <= $now
),

reach_of_predecessors as (
    select
        case
            when count(*) < len($after::varchar[]) then 0
            else coalesce(min(seq), 9223372036854775807)
        end as seq
    from evaluator_cursors
    where
        ($after_versions::bigint[])[list_position($after::varchar[], evaluator)] = evaluator_version
        and ($after_hashes::varchar[])[list_position($after::varchar[], evaluator)] = config_hash
),

deferred_by_predecessors as (
    select
        target_id,
        list(distinct evaluator order by evaluator) as evaluators,
        max(not_before) as not_before
    from deferrals
    where list_contains($after::varchar[], evaluator)
    group by target_id
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
        and assembled_seq <= (select seq from reach_of_predecessors)
        and assembled_seq < (select seq from first_unsettled)
        and assembled_seq <= $through
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
        and runs.assembled_seq <= (select seq from reach_of_predecessors)
        and own_deferred.target_id not in (select target_id from deferred_by_predecessors)
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
),

last_chosen as (
    select max(assembled_seq) as seq
    from ordered
    where is_chosen and priority = 0
)

select
    ordered.agent_trace_id,
    ordered.assembled_seq,
    ordered.revision,
    ordered.is_chosen,
    deferred_by_predecessors.evaluators as waits_for,
    deferred_by_predecessors.not_before
from ordered
left join deferred_by_predecessors on ordered.agent_trace_id = deferred_by_predecessors.target_id
where
    ordered.is_chosen
    or (ordered.priority = 0 and ordered.assembled_seq < (select seq from last_chosen))
order by ordered.priority, ordered.turn, ordered.assembled_seq;
