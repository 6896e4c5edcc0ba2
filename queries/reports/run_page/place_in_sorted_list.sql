-- report:  place_in_sorted_list
-- purpose: the place of a run in a list that is sorted by a number: how many runs the list has and how many come
--          before it, and those before and after it; nothing, if the run is not in the list
-- grain:   one row
-- reads:   runs
-- splices: condition
-- note:    the order is that of sorted_run_keys. Times are compared as numbers, since only this is fast.
with keyed as (
    select
        agent_trace_id,
        epoch_us(started_at) as started_us,
        coalesce(
            $direction * case $sort
                when 'started_at' then epoch_us(started_at)
                when 'duration_ms' then duration_ms
                when 'cost_usd' then cost_usd
                when 'tokens' then coalesce(input_tokens + output_tokens, input_tokens, output_tokens)
                when 'tool_call_count' then tool_call_count
                when 'worst_value' then worst_value
            end,
            -1.7976931348623157e308
        )::double as sort_key
    from runs
    where
        started_at >= $since::timestamp
        and started_at < $until::timestamp
        and (
            ${condition}
        )
),

place as materialized (
    select
        agent_trace_id as place_id,
        started_us as place_us,
        sort_key as place_key
    from keyed
    where started_us = epoch_us($started_at::timestamp) and agent_trace_id = $agent_trace_id
),

compared as (
    select
        keyed.*,
        keyed.sort_key > place.place_key
        or (
            keyed.sort_key = place.place_key
            and (
                keyed.started_us > place.place_us
                or (keyed.started_us = place.place_us and keyed.agent_trace_id > place.place_id)
            )
        ) as is_before
    from keyed
    cross join place
),

counted as (
    select
        count(*) as runs,
        count(*) filter (where is_before) as runs_before,
        count(*) filter (where agent_trace_id = $agent_trace_id) as itself
    from compared
),

previous as (
    select
        agent_trace_id,
        started_us
    from compared
    where is_before
    order by sort_key, started_us, agent_trace_id
    limit 1
),

next as (
    select
        agent_trace_id,
        started_us
    from compared
    where not is_before and agent_trace_id <> $agent_trace_id
    order by sort_key desc, started_us desc, agent_trace_id desc
    limit 1
)

select
    counted.runs,
    counted.runs_before,
    previous.agent_trace_id as previous_agent_trace_id,
    make_timestamp(previous.started_us) as previous_started_at,
    next.agent_trace_id as next_agent_trace_id,
    make_timestamp(next.started_us) as next_started_at
from counted
left join previous on true
left join next on true
where counted.itself > 0;
