-- statement: move_scores_of_feedback
-- purpose:   lets feedback follow what it judges into the run and position where that is now, and puts it back in force
--            where it was out of force only because its run was gone
-- reads:     scores
-- note:      placed_feedback is registered by the writer; it has the time of each verdict, which bounds what is read.
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
    superseded_at = null
from placed_feedback as placed
where
    scores.scored_at between
    (select min(scored_at) from placed_feedback) and (select max(scored_at) from placed_feedback)
    and scores.score_id = placed.score_id
    and (
        scores.target_id <> placed.target_id
        or (
            scores.superseded_at is not null
            and not exists (
                select 1
                from scores as newer
                where
                    newer.superseded_at is null
                    and newer.evaluator_kind in ('human', 'external')
                    and newer.target_id = scores.target_id
                    and newer.span_id is not distinct from scores.span_id
                    and newer.evaluator = scores.evaluator
                    and newer.evaluator_kind = scores.evaluator_kind
                    and newer.author = scores.author
                    and (newer.scored_at, newer.score_id) > (scores.scored_at, scores.score_id)
            )
        )
    );
