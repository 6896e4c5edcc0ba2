-- report:  scores_in_run
-- purpose: all scores on a run and its calls, active and superseded ones, and those on its sub-agents if it is the
--          outermost run
-- grain:   score_id
-- reads:   scores, agent_traces
select scores.*
from scores
where
    scores.agent_trace_id in (
        select runs.agent_trace_id
        from agent_traces as runs
        where
            (runs.agent_trace_id = $agent_trace_id or runs.root_agent_trace_id = $agent_trace_id)
            and runs.started_at >= $earliest::timestamp
            and runs.started_at <= $latest::timestamp
    )
    and scores.experiment_id is not distinct from $experiment_id
    and scores.target_time >= $earliest::timestamp
    and scores.target_time <= $latest::timestamp
order by
    scores.superseded_at is not null,
    scores.evaluator,
    scores.tool_call_position,
    scores.scored_at,
    scores.score_id
limit $limit;
