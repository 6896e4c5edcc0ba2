-- statement: due_runs_after
-- purpose:   as due_runs, for an evaluator that looks at a run after others: those of them that put the run off
--            (waits_for) and until when; null: they are through with it
-- reads:     agent_traces, evaluator_cursors, due_later
-- note:      its cursor never passes that of another it comes after, and a pass with nothing due reads no more of them.
--            One that was never at work in its form is through with nothing. What waits here and there is left where
--            it is. All of it is read at once: between two readings another could put a run off. Services take turns
--            as in due_runs.
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

others as (
    select
        unnest($after::varchar[]) as evaluator,
        unnest($after_versions::bigint[]) as evaluator_version,
        unnest($after_hashes::varchar[]) as config_hash
),

slowest as (
    select min(coalesce(cursors.seq, 0)) as seq
    from others
    left join evaluator_cursors as cursors
        on
            others.evaluator = cursors.evaluator
            and others.evaluator_version = cursors.evaluator_version
            and others.config_hash = cursors.config_hash
),

put_off as (
    select
        target_id,
        list(distinct evaluator order by evaluator) as evaluators,
        max(not_before) as not_before
    from due_later
    where evaluator in (select evaluator from others)
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
        and assembled_seq <= (select seq from slowest)
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
        later.priority
    from due_later as later
    inner join agent_traces as runs on later.target_id = runs.agent_trace_id
    where
        later.evaluator = $evaluator
        and later.not_before <= $now
        and runs.assembled_seq <= (select seq from cursor_of_evaluator)
        and runs.assembled_seq <= (select seq from slowest)
        and later.target_id not in (select target_id from put_off)
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
    put_off.evaluators as waits_for,
    put_off.not_before
from ordered
left join put_off on ordered.agent_trace_id = put_off.target_id
where
    ordered.is_chosen
    or (ordered.priority = 0 and ordered.assembled_seq < (select seq from last_chosen))
order by ordered.priority, ordered.turn, ordered.assembled_seq;
