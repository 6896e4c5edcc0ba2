-- statement: calls_of_subjects
-- purpose:   the tool calls of the traces that feedback names, each in the run that made it
-- reads:     tool_calls
-- note:      named_subjects is registered by the writer.
select
    agent_trace_id,
    trace_id,
    position,
    tool_call_id,
    span_id,
    started_at
from tool_calls
where child_agent_trace_id is null and trace_id in (select trace_id from named_subjects)
order by agent_trace_id, position;
