-- statement: waiting_runs_of_sessions
-- purpose:   the outermost runs of some sessions that stopped for a person, which later runs of the session may answer
-- grain:     agent_trace_id
-- reads:     agent_traces
select
    agent_trace_id,
    started_at
from agent_traces
where
    interrupt is not null
    and session_id in (select unnest(string_split($session_ids, chr(31))))
    and parent_agent_trace_id is null
    and experiment_id is null;
