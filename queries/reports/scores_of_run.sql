-- report:  scores_of_run
-- purpose: the active scores on an agent run, its tool calls and its session, for `tracegrade show`
-- grain:   score_id
-- reads:   scores, agent_traces
-- note:    of experiments only the one counts that the run is part of. External scores have their author. Whether the
--          run completed comes first.
select
    case when evaluator_kind in ('human', 'external') then evaluator || ' (' || author || ')' else evaluator end
        as evaluator,
    case
        when scope = 'session' then 'session'
        when tool_call_position is not null then 'call ' || tool_call_position
        else 'run'
    end as about,
    case when passed is null then status when passed then 'passed' else 'failed' end as result,
    round(value, 4) as value,
    label,
    coalesce(explanation, reason) as because
from scores
where
    superseded_at is null
    and (
        experiment_id is null
        or experiment_id = (
            select run.experiment_id
            from agent_traces as run
            where run.agent_trace_id = $agent_trace_id
        )
    )
    and (
        agent_trace_id = $agent_trace_id
        or target_id = (
            select 'session:' || run.session_id
            from agent_traces as run
            where run.agent_trace_id = $agent_trace_id and run.experiment_id is null
        )
    )
order by evaluator_type <> 'run_completion', evaluator, tool_call_position, scored_at;
