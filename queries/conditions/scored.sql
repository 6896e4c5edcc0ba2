-- condition: scored
-- purpose:   a score of an evaluator, which neither skipped it nor erred
-- reads:     runs, latest_scores, agent_traces
-- note:      scores are on the run, on its calls or on its sub-agents, which began within a day of it.
select agent_trace_id
from runs
where
    agent_trace_id in (
        select scored_runs.root_agent_trace_id
        from latest_scores as scores
        inner join agent_traces as scored_runs on scores.agent_trace_id = scored_runs.agent_trace_id
        where
            scores.evaluator = $evaluator
            and scores.status = 'scored'
            and scores.target_time >= $since::timestamp
            and scores.target_time < $until::timestamp + interval 1 day
            and scored_runs.started_at >= $since::timestamp
            and scored_runs.started_at < $until::timestamp + interval 1 day
    );
