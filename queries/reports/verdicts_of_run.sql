-- report:  verdicts_of_run
-- purpose: the verdicts in force on an agent run and its tool calls
-- grain:   score_id
-- reads:   latest_scores
-- note:    where somebody else gave a verdict it says who.
select
    case when evaluator_kind in ('human', 'external') then evaluator || ' (' || author || ')' else evaluator end
        as evaluator,
    tool_call_position as call,
    status,
    value,
    passed,
    coalesce(explanation, reason) as because
from latest_scores
where agent_trace_id = $agent_trace_id
order by evaluator, tool_call_position, scored_at;
