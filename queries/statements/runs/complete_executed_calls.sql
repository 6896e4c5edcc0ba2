-- statement: complete_executed_calls
-- purpose:   gives calls of runs what their spans in other traces recorded, as far as it is not known; all of these
--            runs began between $earliest and $latest
-- reads:     tool_calls
-- note:      claimed_calls is registered by the writer.
update tool_calls
set
    result = coalesce(tool_calls.result, claimed_calls.result),
    error = coalesce(tool_calls.error, claimed_calls.error),
    status = if(claimed_calls.status = 'error', 'error', if(tool_calls.status = 'error', 'error', 'ok')),
    span_id = coalesce(tool_calls.span_id, claimed_calls.span_id),
    started_at = coalesce(tool_calls.started_at, claimed_calls.started_at),
    duration_ms = coalesce(tool_calls.duration_ms, claimed_calls.duration_ms)
from claimed_calls
where
    tool_calls.agent_trace_id = claimed_calls.claimed_by
    and tool_calls.tool_call_id = claimed_calls.tool_call_id
    and tool_calls.child_agent_trace_id is null;
