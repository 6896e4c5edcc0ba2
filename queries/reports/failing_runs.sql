-- report:  failing_runs
-- purpose: the runs that failed a check, with the reason, newest first
-- grain:   agent_trace_id, evaluator
-- reads:   latest_scores, agent_traces
select
    coalesce(runs.agent_name, runs.service_name) as agent,
    scores.evaluator,
    scores.explanation,
    round(scores.value, 2) as value
from latest_scores as scores
inner join agent_traces as runs using (agent_trace_id)
where not scores.passed and runs.experiment_id is null and scores.evaluator_kind not in ('human', 'external')
order by runs.started_at desc, scores.evaluator
limit 20;
