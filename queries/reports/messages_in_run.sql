-- report:  messages_in_run
-- purpose: the messages of a run, in order
-- grain:   position
-- reads:   messages
-- note:    the time of a row limits what is read; rows without one are read whenever they began.
select *
from messages
where
    agent_trace_id = $agent_trace_id
    and time >= $earliest::timestamp
    and time <= $latest::timestamp
union all
select *
from messages
where agent_trace_id = $agent_trace_id and time is null
order by position
limit $limit;
