-- statement: messages_by_position
-- purpose:   messages at some positions of some runs that began at $earliest or later
-- reads:     messages
select
    agent_trace_id,
    position,
    parts
from messages
where
    time >= $earliest
    and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
    and position in (select unnest(string_split($positions, chr(31)))::bigint);
