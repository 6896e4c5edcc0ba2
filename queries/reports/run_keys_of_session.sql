-- report:  run_keys_of_session
-- purpose: the ids of the turns of a session, oldest first
-- grain:   agent_trace_id
-- reads:   runs
select
    agent_trace_id,
    started_at,
    0::double as sort_key
from runs
where
    session_id = $session_id
    and started_at >= $earliest::timestamp
    and started_at <= $latest::timestamp
order by started_at, agent_trace_id
limit $limit;
