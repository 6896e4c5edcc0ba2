-- condition: disagreed
-- purpose:   runs on which people and evaluators of the same name disagree
-- reads:     runs, latest_scores, agent_traces
-- note:      scores are on the run, on its calls or on its sub-agents, which began within a day of it.
select agent_trace_id
from runs
where
    agent_trace_id in (
        select scored_runs.root_agent_trace_id
        from latest_scores as people
        inner join latest_scores as others
            on people.target_id = others.target_id and people.evaluator = others.evaluator
        inner join agent_traces as scored_runs on people.agent_trace_id = scored_runs.agent_trace_id
        where
            people.evaluator_kind = 'human'
            and others.evaluator_kind not in ('human', 'external')
            and people.passed <> others.passed
            and people.target_time >= $since::timestamp
            and people.target_time < $until::timestamp + interval 1 day
            and others.target_time >= $since::timestamp
            and others.target_time < $until::timestamp + interval 1 day
            and scored_runs.started_at >= $since::timestamp
            and scored_runs.started_at < $until::timestamp + interval 1 day
    );
