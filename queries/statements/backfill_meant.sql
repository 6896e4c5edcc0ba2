-- statement: backfill_meant
-- purpose:   what a backfill means of each of $evaluators, runs or the sessions that these are turns of: how many, and
--            how many of these wait already, because a backfill asked for them or because they were put off until then
-- reads:     agent_traces, due_later
with runs as (
    select
        agent_trace_id,
        case when parent_agent_trace_id is null then session_id end as session_id
    from agent_traces
    where
        started_at between $earliest and $latest
        and ($every or agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31)))))
),

meant as (
    select
        false as is_session,
        agent_trace_id as target_id
    from runs
    union all
    select distinct
        true as is_session,
        'session:' || session_id as target_id
    from runs
    where session_id is not null
),

waiting as (
    select
        due_later.evaluator,
        due_later.priority
    from due_later
    semi join meant using (target_id)
)

select
    names.evaluator,
    (
        select count(*)
        from meant
        where meant.is_session = list_contains(string_split($of_sessions, chr(31)), names.evaluator)
    ) as targets,
    count(*) filter (where waiting.priority = $backfill) as asked_before,
    count(*) filter (where waiting.priority <> $backfill) as put_off
from unnest(string_split($evaluators, chr(31))) as names (evaluator)
left join waiting on names.evaluator = waiting.evaluator
group by names.evaluator
order by names.evaluator;
