-- report:  superseded_scores_of_run
-- purpose: the superseded scores on an agent run and its tool calls without an active successor: their evaluator does
--          not evaluate the present revision, for `tracegrade show` and `tracegrade explain`
-- grain:   evaluator, tool_call_position
-- reads:   scores
select
    evaluator,
    case when tool_call_position is not null then 'call ' || tool_call_position else 'run' end as about,
    case when passed is null then status when passed then 'passed' else 'failed' end as result,
    round(value, 4) as value,
    revision,
    superseded_at,
    superseded_reason as because
from scores
where
    agent_trace_id = $agent_trace_id
    and experiment_id is null
    and superseded_reason in ('not_selected', 'no_reference')
    and not exists (
        select 1
        from scores as active
        where
            active.superseded_at is null
            and active.experiment_id is null
            and active.agent_trace_id = $agent_trace_id
            and active.evaluator = scores.evaluator
            and active.evaluator_kind = scores.evaluator_kind
    )
qualify row_number() over (partition by evaluator, tool_call_position order by scored_at desc) = 1
order by evaluator, tool_call_position;
