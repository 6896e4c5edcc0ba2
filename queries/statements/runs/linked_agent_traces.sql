-- statement: linked_agent_traces
-- purpose:   some runs, for the evaluation of their sessions, in the order of assembly
-- reads:     agent_traces
select
    * exclude (
        earliest_at,
        latest_at,
        tools,
        failed_calls,
        outcome,
        failing,
        score_count,
        failing_score_count,
        worst_evaluator,
        worst_value, worst_explanation, fault, fault_tool, fault_agent_trace_id, fault_position, fault_evaluator,
        first_fault, fault_class, fault_pattern, pattern_id, failed_tools, invalid_tools
    )
from agent_traces
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
order by assembled_seq;
