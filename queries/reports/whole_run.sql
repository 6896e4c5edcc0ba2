-- report:  whole_run
-- purpose: one run with all that `runs` has of it, also of sub-agents and of experiments
-- grain:   one row
-- reads:   agent_traces
select
    *
    replace (
        from_json(failed_tools, '["VARCHAR"]') as failed_tools,
        from_json(invalid_tools, '["VARCHAR"]') as invalid_tools,
        coalesce(total_tool_call_count, tool_call_count) as tool_call_count,
        coalesce(total_input_tokens, input_tokens) as input_tokens,
        coalesce(total_output_tokens, output_tokens) as output_tokens,
        coalesce(total_cost_usd, cost_usd) as cost_usd
    ),
    blocked_by(guardrails) as blocked_by
from agent_traces
where agent_trace_id = $agent_trace_id and started_at = $started_at::timestamp;
