-- report:  sorted_run_keys
-- purpose: the ids of the runs of a period that a filter selects, by a number, page by page
-- grain:   agent_trace_id
-- reads:   runs
-- splices: condition
-- note:    $direction is 1 for the greatest number first, and -1 for the least. Where the number is not recorded, the
--          run comes last: its key is the least that a double can hold.
with keyed as (
    select
        agent_trace_id,
        started_at,
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
)

select *
from keyed
where
    sort_key <= $after_sort_key
    and (
        sort_key < $after_sort_key
        or started_at < $after_started_at::timestamp
        or (started_at = $after_started_at::timestamp and agent_trace_id < $after_agent_trace_id)
    )
order by sort_key desc, started_at desc, agent_trace_id desc
limit $limit;
