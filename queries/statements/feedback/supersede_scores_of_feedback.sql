-- statement: supersede_scores_of_feedback
-- purpose:   supersedes all but the last score of each author on the same target, by the time that the author gave
-- reads:     scores
-- note:      placed_feedback is registered by the writer. Spans of one run are distinct: a score on one model call says
--            nothing about the next.
update scores
set superseded_at = $now, superseded_reason = 'replaced'
where
    superseded_at is null
    and evaluator_kind in ('human', 'external')
    and target_id in (select target_id from placed_feedback)
    and exists (
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
    );
