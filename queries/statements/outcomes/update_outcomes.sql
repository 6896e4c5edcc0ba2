-- statement: update_outcomes
-- purpose:   writes the outcomes of some outermost runs into their rows, without their faults
-- reads:     agent_traces
-- note:      computed_outcomes is registered by the caller. All of these runs began between $earliest and $latest.
update agent_traces
set
    outcome = new.outcome,
    failing = new.failing,
    score_count = new.score_count,
    failing_score_count = new.failing_score_count,
    worst_evaluator = new.worst_evaluator,
    worst_value = new.worst_value,
    worst_explanation = new.worst_explanation
from computed_outcomes as new
where
    agent_traces.agent_trace_id = new.agent_trace_id
    and agent_traces.started_at between $earliest and $latest;
