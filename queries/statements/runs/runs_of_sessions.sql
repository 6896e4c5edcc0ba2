-- statement: runs_of_sessions
-- purpose:   the runs of some sessions that have at least one turn; runs of sub-agents are not turns
-- reads:     agent_traces
select
    'session:' || session_id as target_id,
    agent_trace_id
from agent_traces
where
    experiment_id is null
    and 'session:' || session_id in (select unnest(string_split($target_ids, chr(31))))
qualify count(*) filter (where parent_agent_trace_id is null) over (partition by session_id) > 0
order by assembled_seq;
