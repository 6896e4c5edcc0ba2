-- statement: sessions_of_runs
-- purpose:   the sessions that some runs are turns of, those of the newest runs first
-- reads:     agent_traces
select 'session:' || session_id as target_id
from agent_traces
where
    agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
    and session_id is not null
    and parent_agent_trace_id is null
    and experiment_id is null
group by session_id
order by max(started_at) desc, session_id;
