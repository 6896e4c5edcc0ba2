-- report:  messages_in_tree
-- purpose: the messages of a run and of those below it, in order
-- grain:   agent_trace_id, position
-- reads:   messages
-- note:    the time of a row limits what is read; rows without one are read whenever they began.
select
    agent_trace_id,
    trace_id,
    position,
    role,
    name,
    content,
    parts,
    span_id,
    time
from messages
where
    list_contains($agent_trace_ids::varchar[], agent_trace_id)
    and time >= $earliest::timestamp
    and time <= $latest::timestamp
union all
select
    agent_trace_id,
    trace_id,
    position,
    role,
    name,
    content,
    parts,
    span_id,
    time
from messages
where list_contains($agent_trace_ids::varchar[], agent_trace_id) and time is null
order by agent_trace_id, position
limit $limit;
