-- report:  runs_named
-- purpose: the runs whose id begins with a text, the one with exactly this id first, and when they and what is in them
--          began: an hour is left on both sides, a day where this is not recorded
-- grain:   agent_trace_id
-- reads:   agent_traces, id_number
select
    agent_trace_id,
    trace_id,
    parent_agent_trace_id,
    coalesce(root_agent_trace_id, agent_trace_id) as root_agent_trace_id,
    session_id,
    experiment_id,
    coalesce(agent_name, service_name) as agent,
    started_at,
    coalesce(earliest_at, started_at - interval 1 day) - interval 1 hour as earliest,
    coalesce(greatest(latest_at, ended_at), started_at + interval 1 day) + interval 1 hour as latest
from agent_traces
where
    id_start between id_number($id, '0') and id_number($id, 'f')
    and starts_with(agent_trace_id, $id)
    and started_at >= $since::timestamp
    and started_at < $until::timestamp
order by agent_trace_id <> $id, parent_agent_trace_id is not null, started_at, agent_trace_id
limit 20;
