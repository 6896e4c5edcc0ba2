-- statement: link_tool_calls
-- purpose:   gives tool calls the outcome that later runs reported, or removes it
-- reads:     tool_calls
-- note:      relinked_calls is registered by the writer.
update tool_calls
set
    result = relinked_calls.result,
    error = relinked_calls.error,
    status = relinked_calls.status
from relinked_calls
where
    tool_calls.agent_trace_id = relinked_calls.agent_trace_id
    and tool_calls.position = relinked_calls.position;
