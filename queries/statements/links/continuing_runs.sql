-- statement: continuing_runs
-- purpose:   the runs that answer keys of some runs; all of these began between $earliest and $latest
-- reads:     link_keys
-- note:      a key that many runs ask with identifies none of them.
with asks as (
    select
        key,
        min(started_at) as asked_at
    from link_keys
    where
        side = 'ask'
        and started_at between $earliest and $latest
        and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
    group by key
),

rare_keys as (
    select link_keys.key
    from link_keys
    semi join asks using (key)
    where
        link_keys.side = 'ask'
        and link_keys.started_at between $earliest - $window and $latest + $window
    group by link_keys.key
    having count(*) <= $most_asks
)

select
    answers.agent_trace_id,
    any_value(answers.started_at) as started_at,
    any_value(answers.session_id) as session_id
from link_keys as answers
inner join asks using (key)
where
    answers.side = 'answer'
    and answers.started_at between $earliest and $latest + $window
    and answers.started_at > asks.asked_at
    and answers.key in (select key from rare_keys)
group by answers.agent_trace_id;
