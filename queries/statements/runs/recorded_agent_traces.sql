-- statement: recorded_agent_traces
-- purpose:   some runs, for evaluation, as each was recorded, in the order of assembly
-- reads:     agent_traces, linked_runs
with linked as (
    select agent_trace_id
    from linked_runs
    where
        session_id is not null
        and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
)

select agent_traces.* replace (if(linked.agent_trace_id is null, agent_traces.session_id, null) as session_id)
from agent_traces
left join linked on agent_traces.agent_trace_id = linked.agent_trace_id
where agent_traces.agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
order by agent_traces.assembled_seq;
