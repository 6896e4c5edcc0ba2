-- statement: move_scores_of_feedback
-- purpose:   moves scores of feedback to their present target, and updates what is known of it and of the author
-- reads:     scores
-- note:      placed_feedback is registered by the writer; it has the time of each score, which limits what is read.
update scores
set
    target_id = placed.target_id,
    scope = placed.scope,
    agent_trace_id = placed.agent_trace_id,
    span_id = placed.span_id,
    tool_call_position = placed.tool_call_position,
    session_id = placed.session_id,
    agent_name = placed.agent_name,
    target_time = placed.target_time,
    revision = placed.revision,
    evaluator = placed.evaluator,
    evaluator_kind = placed.evaluator_kind,
    author = placed.author
from placed_feedback as placed
where
    scores.scored_at between
    (select min(scored_at) from placed_feedback) and (select max(scored_at) from placed_feedback)
    and scores.score_id = placed.score_id
    and (
        scores.target_id is distinct from placed.target_id
        or scores.span_id is distinct from placed.span_id
        or scores.session_id is distinct from placed.session_id
        or scores.agent_name is distinct from placed.agent_name
        or scores.target_time is distinct from placed.target_time
        or scores.revision is distinct from placed.revision
        or scores.evaluator <> placed.evaluator
        or scores.evaluator_kind <> placed.evaluator_kind
        or scores.author <> placed.author
    );
