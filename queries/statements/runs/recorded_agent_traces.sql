-- statement: recorded_agent_traces
-- purpose:   some runs, for evaluation, as each was recorded, in the order of assembly
-- reads:     agent_traces, linked_runs
-- note:      without the columns that hold no field of a run: what its scores say must not become a part of it.
with linked as (
    select
        agent_trace_id,
        recorded_session_id
    from linked_runs
    where
        session_id is not null
        and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
)

select
    agent_traces.* exclude (
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
    replace (
        if(linked.agent_trace_id is null, agent_traces.session_id, linked.recorded_session_id) as session_id
    )
from agent_traces
left join linked on agent_traces.agent_trace_id = linked.agent_trace_id
where agent_traces.agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
order by agent_traces.assembled_seq;
