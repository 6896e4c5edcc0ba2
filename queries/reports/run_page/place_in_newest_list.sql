-- report:  place_in_newest_list
-- purpose: the place of a run in a list with the newest first: how many runs the list has and how many come before it,
--          and those before and after it; nothing, if the run is not in the list
-- grain:   one row
-- reads:   runs
-- splices: condition
-- note:    the order is that of newest_run_keys. Ids are compared only of runs that began at the same time, since times
--          are read much faster.
with selected as not materialized (
    select
        agent_trace_id,
        started_at
    from runs
    where
        started_at >= $since::timestamp
        and started_at < $until::timestamp
        and (
            ${condition}
        )
),

counted as (
    select
        count(*) as runs,
        count(*) filter (where started_at > $started_at::timestamp) as later
    from selected
),

same_time as (
    select
        count(*) filter (where agent_trace_id = $agent_trace_id) as itself,
        count(*) filter (where agent_trace_id > $agent_trace_id) as greater
    from selected
    where started_at = $started_at::timestamp
),

previous as (
    select
        agent_trace_id,
        started_at
    from selected
    where
        started_at >= $started_at::timestamp
        and (started_at > $started_at::timestamp or agent_trace_id > $agent_trace_id)
    order by started_at, agent_trace_id
    limit 1
),

next as (
    select
        agent_trace_id,
        started_at
    from selected
    where
        started_at <= $started_at::timestamp
        and (started_at < $started_at::timestamp or agent_trace_id < $agent_trace_id)
    order by started_at desc, agent_trace_id desc
    limit 1
)

select
    counted.runs,
    counted.later + same_time.greater as runs_before,
    previous.agent_trace_id as previous_agent_trace_id,
    previous.started_at as previous_started_at,
    next.agent_trace_id as next_agent_trace_id,
    next.started_at as next_started_at
from counted
cross join same_time
left join previous on true
left join next on true
where same_time.itself > 0;
