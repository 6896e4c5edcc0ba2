-- statement: members_of_sessions
-- purpose:   which runs belong to some sessions now, each with its revision, and whether it is a turn
-- reads:     agent_traces
select
    'session:' || session_id as target_id,
    agent_trace_id,
    revision,
    parent_agent_trace_id is null as is_turn
from agent_traces
where
    experiment_id is null
    and 'session:' || session_id in (select unnest(string_split($target_ids, chr(31))));
