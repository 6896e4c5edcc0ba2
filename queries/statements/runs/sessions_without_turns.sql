-- statement: sessions_without_turns
-- purpose:   those of some sessions that have no turn
-- reads:     agent_traces
select sessions.session_id
from (select unnest(string_split($session_ids, chr(31))) as session_id) as sessions
where sessions.session_id not in (
    select session_id
    from agent_traces
    where session_id is not null and parent_agent_trace_id is null and experiment_id is null
);
