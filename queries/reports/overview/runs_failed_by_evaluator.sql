-- report:  runs_failed_by_evaluator
-- purpose: in how many runs of a period a score of each evaluator failed: what the filter score:NAME:failed selects
-- grain:   evaluator
-- reads:   latest_scores, agent_traces, selected_runs
with failed as (
    select distinct
        scores.evaluator,
        scored_runs.root_agent_trace_id as agent_trace_id
    from latest_scores as scores
    inner join agent_traces as scored_runs on scores.agent_trace_id = scored_runs.agent_trace_id
    where
        scores.passed = false
        and scored_runs.experiment_id is null
        and scores.evaluator_kind in ('code', 'llm', 'sql')
        and scores.target_time >= $since::timestamp
        and scores.target_time < $until::timestamp + interval 1 day
        and scored_runs.started_at >= $since::timestamp
        and scored_runs.started_at < $until::timestamp + interval 1 day
)

select
    failed.evaluator,
    count(*) as runs
from failed
inner join selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment) as runs
    using (agent_trace_id)
where $service is null or runs.service_name = $service
group by failed.evaluator;
