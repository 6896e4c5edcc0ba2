-- statement: runs_without_content
-- purpose:   some runs without their content, in the order of assembly
-- reads:     agent_traces
select
    agent_trace_id,
    trace_id,
    agent_span_id,
    session_id,
    agent_name,
    service_name,
    started_at,
    revision
from agent_traces
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
order by assembled_seq;
