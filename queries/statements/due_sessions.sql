-- statement: due_sessions
-- purpose:   the sessions in which something is new to an evaluator, or that were put off until now: the place of their
--            newest run among those it looks at, when anything of them was last assembled (null: no turn is left of
--            them), and whether there may be more
-- reads:     agent_traces, evaluator_cursors, due_later
-- note:      the cursor passes over runs of no session, too: they come as one row without a target. Runs of sub-agents
--            are no turns.
with cursor_of_evaluator as (
    select seq
    from evaluator_cursors
    where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
),

looked_at as (
    select
        session_id,
        assembled_seq
    from agent_traces
    where
        assembled_seq > (select seq from cursor_of_evaluator)
        and assembled_seq <= $through
    order by assembled_seq
    limit $limit
),

put_off as (
    select substr(target_id, 9) as session_id
    from due_later
    where
        evaluator = $evaluator
        and not_before <= $now
        and not exists (
            select 1
            from looked_at
            where 'session:' || looked_at.session_id = due_later.target_id
        )
    order by not_before, target_id
    limit $limit
),

found as (
    select
        session_id,
        max(assembled_seq) as seq
    from looked_at
    group by session_id
    union all
    select
        session_id,
        0 as seq
    from put_off
)

select
    'session:' || found.session_id as target_id,
    found.seq,
    case
        when count(runs.agent_trace_id) > count(runs.parent_agent_trace_id) then max(runs.assembled_at)
    end as last_at,
    (select count(*) from looked_at) >= $limit or (select count(*) from put_off) >= $limit as is_full
from found
left join agent_traces as runs on found.session_id = runs.session_id
group by all
order by found.seq;
