-- report:  runs_in_tree
-- purpose: the runs below a run: those of all its sub-agents if it is the outermost one, else those that it called
-- grain:   agent_trace_id
-- reads:   agent_traces
select
    agent_trace_id,
    parent_agent_trace_id,
    agent_name,
    started_at,
    duration_ms,
    error,
    tool_call_count,
    input_tokens,
    output_tokens,
    cost_usd,
    guardrails
from agent_traces
where
    (root_agent_trace_id = $agent_trace_id or parent_agent_trace_id = $agent_trace_id)
    and agent_trace_id <> $agent_trace_id
    and started_at >= $earliest::timestamp
    and started_at <= $latest::timestamp
order by started_at, agent_trace_id
limit $limit;
