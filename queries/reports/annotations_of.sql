-- report:  annotations_of
-- purpose: scores that people gave, and other systems through the API, newest first: of a target (all of a run with
--          its calls, of a trace or of a session), an author and a name; null selects all
-- grain:   score_id
-- reads:   scores
-- note:    the page after the score with the time $before and the id $before_id; null: the first one.
select
    score_id,
    target_id,
    scope,
    agent_trace_id,
    trace_id,
    span_id,
    tool_call_position,
    session_id,
    agent_name,
    target_time,
    evaluator as name,
    evaluator_kind as kind,
    author,
    value,
    label,
    passed,
    explanation,
    scored_at,
    superseded_at,
    superseded_reason
from scores
where
    (evaluator_kind = 'human' or evaluator_type = 'annotation')
    and ($with_superseded::boolean or superseded_at is null)
    and ($target::varchar is null or $target::varchar in (target_id, agent_trace_id, trace_id))
    and ($author::varchar is null or author = $author::varchar)
    and ($name::varchar is null or evaluator = $name::varchar)
    and (
        $before::timestamp is null
        or scored_at < $before::timestamp
        or (scored_at = $before::timestamp and score_id < $before_id::varchar)
    )
order by scored_at desc, score_id desc
limit $limit::bigint;
