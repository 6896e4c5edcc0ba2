-- statement: due_runs
-- purpose:   what an evaluator has to judge now: new revisions beyond its cursor, then what was put off until now
-- reads:     agent_traces, evaluator_cursors, due_later
-- note:      a run that was put off and has a newer revision since is due as a new one. Runs assembled after
--            $settled_by wait: whoever pays for a score does not pay for one that the next span makes worthless.
--            Those behind the first of them wait, too, for a cursor leaves out none and a clock may have been set back
--            between two. What was assembled after $now, by a clock that was set back since, has settled. Runs behind
--            $through are for a later look. Services take turns among the next $window new runs, and among those that
--            were put off. New runs that come before the last chosen one and whose turn it is not are not is_chosen:
--            the cursor passes them.
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
    agent_trace_id,
    assembled_seq,
    revision,
    is_chosen
from ordered
where
    is_chosen
    or (priority = 0 and assembled_seq < (select seq from last_chosen))
order by priority, turn, assembled_seq;
