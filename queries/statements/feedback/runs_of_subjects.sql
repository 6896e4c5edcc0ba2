-- statement: runs_of_subjects
-- purpose:   the runs of the traces that feedback names
-- reads:     agent_traces
-- note:      named_subjects is registered by the writer.
select
    agent_trace_id,
    trace_id,
    agent_span_id,
    parent_agent_trace_id,
    session_id,
    agent_name,
    started_at,
    revision
from agent_traces
where trace_id in (select trace_id from named_subjects);
