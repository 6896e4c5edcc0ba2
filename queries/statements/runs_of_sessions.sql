-- statement: runs_of_sessions
-- purpose:   the runs of some sessions
-- reads:     agent_traces
select
    'session:' || session_id as target_id,
    agent_trace_id
from agent_traces
where 'session:' || session_id in (select unnest(string_split($target_ids, chr(31))))
order by assembled_seq;
