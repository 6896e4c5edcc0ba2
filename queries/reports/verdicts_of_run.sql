-- report:  verdicts_of_run
-- purpose: the verdicts in force on an agent run and its tool calls
-- grain:   target_id, evaluator
-- reads:   latest_scores
select
    evaluator,
    tool_call_position as call,
    status,
    value,
    passed,
    coalesce(explanation, reason) as because
from latest_scores
where agent_trace_id = $agent_trace_id
order by evaluator, tool_call_position;
