-- report:  recent_runs
-- purpose: the runs assembled after a point in the order of assembly, each with its verdicts, for `tracegrade tail`
-- grain:   agent_trace_id
-- reads:   agent_traces, latest_scores
-- note:    a score from elsewhere may be there first: a run waits for those of our own evaluators. Where somebody else
--          gave a score it says who. Whether the run completed stands first.
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
            when verdicts.evaluator_kind in ('human', 'external')
                then verdicts.evaluator || ' (' || verdicts.author || ')'
            else verdicts.evaluator
        end,
        'status': verdicts.status,
        'value': verdicts.value,
        'passed': verdicts.passed,
        'text': coalesce(verdicts.explanation, verdicts.reason)
    } order by verdicts.evaluator_type <> 'run_completion', verdicts.evaluator) as verdicts
from agent_traces as runs
inner join latest_scores as verdicts
    on runs.agent_trace_id = verdicts.agent_trace_id and runs.revision = verdicts.revision
where runs.assembled_seq > $after_seq
group by all
having bool_or(verdicts.evaluator_kind not in ('human', 'external'))
order by runs.assembled_seq
limit $limit;
