-- report:  runs_of_trace
-- purpose: the agent runs that an id matches, of a trace or of a run, whole or its beginning
-- grain:   agent_trace_id
-- reads:   agent_traces, id_number
select *
from agent_traces
where
    id_start between id_number($id, '0') and id_number($id, 'f')
    and starts_with(agent_trace_id, $id)
order by started_at, agent_trace_id
limit 20;
