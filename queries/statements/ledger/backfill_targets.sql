-- statement: backfill_targets
-- purpose:   how many targets a backfill covers for each of $evaluators, runs or the sessions that these are turns of,
--            and how many of these are stored in deferrals already: by a backfill, or because they were deferred
-- reads:     agent_traces, deferrals
with runs as (
    select
        agent_trace_id,
        case when parent_agent_trace_id is null then session_id end as session_id
    from agent_traces
    where
        experiment_id is null
        and started_at between $earliest and $latest
        and ($every or agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31)))))
),

covered as (
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

queued as (
    select
        deferrals.evaluator,
        deferrals.priority
    from deferrals
    semi join covered using (target_id)
)

select
    names.evaluator,
    (
        select count(*)
        from covered
        where covered.is_session = list_contains(string_split($of_sessions, chr(31)), names.evaluator)
    ) as targets,
    count(*) filter (where queued.priority = $backfill) as requested,
    count(*) filter (where queued.priority <> $backfill) as deferred
from unnest(string_split($evaluators, chr(31))) as names (evaluator)
left join queued on names.evaluator = queued.evaluator
group by names.evaluator
order by names.evaluator;
