-- statement: update_faults
-- purpose:   writes the first faults and the failed tools of some outermost runs into their rows
-- reads:     agent_traces
-- note:      computed_outcomes is registered by the caller. All of these runs began between $earliest and $latest.
update agent_traces
set
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
from computed_outcomes as new
where
    agent_traces.agent_trace_id = new.agent_trace_id
    and agent_traces.started_at between $earliest and $latest
    and agent_traces.experiment_id is null;
