-- report:  recent_runs
-- purpose: the runs of production assembled after a point in the order of assembly, each with its scores, for
--          `tracegrade tail`
-- grain:   agent_trace_id
-- reads:   agent_traces, latest_scores
-- note:    runs without a score of our own evaluators are left out, even if they have external scores. External scores
--          have their author. Whether the run completed comes first.
select
    runs.assembled_seq,
    runs.started_at,
    runs.agent_trace_id,
    runs.trace_id,
    runs.agent_name,
    runs.service_name,
    runs.input,
    coalesce(runs.total_tool_call_count, runs.tool_call_count) as tool_call_count,
    runs.duration_ms,
    runs.completeness,
    runs.revision,
    list({
        'evaluator': case
            when scores.evaluator_kind in ('human', 'external')
                then scores.evaluator || ' (' || scores.author || ')'
            else scores.evaluator
        end,
        'status': scores.status,
        'value': scores.value,
        'passed': scores.passed,
        'text': coalesce(scores.explanation, scores.reason)
    } order by scores.evaluator_type <> 'run_completion', scores.evaluator) as scores
from agent_traces as runs
inner join latest_scores as scores
    on runs.agent_trace_id = scores.agent_trace_id and runs.revision = scores.revision
where runs.assembled_seq > $after_seq and runs.experiment_id is null
group by all
having bool_or(scores.evaluator_kind not in ('human', 'external'))
order by runs.assembled_seq
limit $limit;
