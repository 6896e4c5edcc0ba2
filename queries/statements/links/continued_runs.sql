-- statement: continued_runs
-- purpose:   which earlier runs some runs continue, and which of their tool calls they answer; all of the later runs
--            began between $earliest and $latest
-- reads:     link_keys
-- note:      an answer that fits several runs links none of them; is_open is false where it fits several calls.
with answers as (
    select *
    from link_keys
    where
        side = 'answer'
        and started_at between $earliest and $latest
        and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
),

asks as (
    select link_keys.*
    from link_keys
    semi join answers using (key)
    where
        link_keys.side = 'ask'
        and link_keys.started_at between $earliest - $window and $latest
    qualify count(*) over (partition by link_keys.key) <= $most_asks
)

select
    answers.agent_trace_id as later_id,
    answers.started_at as later_at,
    answers.session_id as later_session_id,
    answers.key,
    answers.message_position,
    answers.part_position,
    answers.is_error,
    any_value(asks.agent_trace_id) as earlier_id,
    any_value(asks.started_at) as earlier_at,
    any_value(asks.session_id) as earlier_session_id,
    any_value(asks.call_position) as call_position,
    count(distinct asks.call_position) = 1 and bool_and(asks.is_open) as is_open
from answers
inner join asks using (key)
where
    asks.agent_trace_id <> answers.agent_trace_id
    and asks.started_at < answers.started_at
    and asks.started_at >= answers.started_at - $window
    and coalesce(asks.tool_name = answers.tool_name, true)
    and coalesce(asks.args_hash = answers.args_hash, true)
group by all
having count(distinct asks.agent_trace_id) = 1
order by later_at, later_id;
