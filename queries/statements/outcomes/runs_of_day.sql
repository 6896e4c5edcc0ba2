-- statement: runs_of_day
-- purpose:   the outermost runs of production that began on a day (UTC)
-- reads:     agent_traces
select agent_trace_id
from agent_traces
where
    started_at >= $day::timestamp
    and started_at < $day::timestamp + interval 1 day
    and root_agent_trace_id = agent_trace_id
    and experiment_id is null;
