-- statement: scored_judge_calls
-- purpose:   those of some judge calls that led to a score of the evaluator that asked, on the target that it asked
--            about
-- reads:     judge_calls, scores
with calls as materialized (
    select
        judge_call_id,
        evaluator,
        target_id,
        started_at
    from judge_calls
    where judge_call_id in (select unnest(string_split($judge_call_ids, chr(31))))
)

select distinct calls.judge_call_id
from calls
inner join scores
    on
        calls.evaluator = scores.evaluator
        and calls.target_id = if(scores.scope = 'tool_call', scores.agent_trace_id, scores.target_id)
        and calls.started_at <= scores.scored_at
where
    scores.evaluator_kind = 'llm' -- people score under the same name
    and scores.scored_at >= (select min(asked.started_at) from calls as asked);
