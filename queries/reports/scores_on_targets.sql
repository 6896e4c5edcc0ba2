-- report:  scores_on_targets
-- purpose: the active scores on an agent run and its tool calls, and on some sessions and tools
-- grain:   target_id, evaluator, evaluator_kind, author
-- reads:   scores, agent_traces
-- note:    of experiments only the one counts that the run is part of.
select
    evaluator,
    evaluator_kind,
    evaluator_version,
    config_hash,
    author,
    target_id,
    scope,
    coalesce(agent_trace_id, target_id) as about,
    tool_call_position,
    revision,
    status,
    value,
    label,
    passed,
    coalesce(explanation, reason) as because,
    experiment_id,
    scored_at
from (
    select *
    from scores
    where
        superseded_at is null
        and agent_trace_id = $agent_trace_id
        and (
            experiment_id is null
            or experiment_id = (
                select run.experiment_id
                from agent_traces as run
                where run.agent_trace_id = $agent_trace_id
            )
        )
    union all
    select *
    from scores
    where
        superseded_at is null
        and experiment_id is null
        and agent_trace_id is null
        and target_id in (select unnest($target_ids::varchar[]))
) as found
order by evaluator, tool_call_position, author;
