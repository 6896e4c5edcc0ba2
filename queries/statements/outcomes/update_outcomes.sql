-- statement: update_outcomes
-- purpose:   writes the outcomes of some outermost runs into their rows
-- reads:     agent_traces, run_outcomes_of
-- note:      all runs in the trees of these, and the targets of the scores on them, began between $earliest and
--            $latest.
update agent_traces
set
    outcome = new.outcome,
    failing = new.failing,
    score_count = new.score_count,
    failing_score_count = new.failing_score_count,
    worst_evaluator = new.worst_evaluator,
    worst_value = new.worst_value,
    worst_explanation = new.worst_explanation,
    fault = new.fault,
    fault_tool = new.fault_tool,
    fault_agent_trace_id = new.fault_agent_trace_id,
    fault_position = new.fault_position,
    fault_evaluator = new.fault_evaluator,
    first_fault = new.first_fault,
    fault_class = new.fault_class,
    fault_pattern = new.fault_pattern,
    pattern_id = new.pattern_id,
    failed_tools = new.failed_tools,
    invalid_tools = new.invalid_tools
from
    run_outcomes_of(
        string_split($agent_trace_ids, chr(31)), $earliest::timestamp, $latest::timestamp
    ) as new
where
    agent_traces.agent_trace_id = new.agent_trace_id
    and agent_traces.started_at between $earliest and $latest;
