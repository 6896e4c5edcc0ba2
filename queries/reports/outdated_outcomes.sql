-- report:  outdated_outcomes
-- purpose: the outermost runs of a day whose stored outcome is not what their errors, calls and scores say
-- grain:   one row
-- reads:   agent_traces, run_outcomes_of
-- note:    $earliest and $latest are those of the day in days_with_runs.
with stored as (
    select
        agent_trace_id,
        hash(
            outcome, failing, score_count, failing_score_count, worst_evaluator, worst_value, worst_explanation, fault,
            fault_tool, fault_agent_trace_id, fault_position, fault_evaluator, first_fault, fault_class, fault_pattern,
            pattern_id, failed_tools::varchar, invalid_tools::varchar
        ) as content
    from agent_traces
    where
        started_at >= $day::timestamp
        and started_at < $day::timestamp + interval 1 day
        and root_agent_trace_id = agent_trace_id
        and experiment_id is null
),

computed as (
    select
        agent_trace_id,
        hash(
            outcome, failing, score_count, failing_score_count, worst_evaluator, worst_value, worst_explanation, fault,
            fault_tool, fault_agent_trace_id, fault_position, fault_evaluator, first_fault, fault_class, fault_pattern,
            pattern_id, failed_tools::varchar, invalid_tools::varchar
        ) as content
    from run_outcomes_of(
        (select list(agent_trace_id) from stored), $earliest::timestamp, $latest::timestamp
    )
)

select
    count(*) as runs,
    (list(agent_trace_id order by agent_trace_id))[:10] as agent_trace_ids
from stored
left join computed using (agent_trace_id)
where stored.content is distinct from computed.content;
