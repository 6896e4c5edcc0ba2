-- statement: restore_scores_of_feedback
-- purpose:   makes feedback active again that was superseded only because its target had vanished, or because it
--            counted as something else; runs after move_scores_of_feedback
-- reads:     scores
-- note:      placed_feedback is registered by the writer; it has the time of each score, which limits what is read.
--            Feedback that was removed stays so, and what it had replaced as well.
update scores
set superseded_at = null, superseded_reason = null
where
    scores.superseded_at is not null
    and scores.superseded_reason is distinct from 'withdrawn'
    and scores.scored_at between
    (select min(scored_at) from placed_feedback) and (select max(scored_at) from placed_feedback)
    and scores.score_id in (select score_id from placed_feedback)
    and not exists (
        select 1
        from scores as newer
        where
            (
                newer.superseded_at is null
                or (newer.superseded_reason = 'withdrawn' and scores.superseded_reason = 'replaced')
            )
            and newer.evaluator_kind in ('human', 'external')
            and newer.target_id = scores.target_id
            and newer.span_id is not distinct from scores.span_id
            and newer.evaluator = scores.evaluator
            and newer.evaluator_kind = scores.evaluator_kind
            and newer.author = scores.author
            and (newer.scored_at, newer.score_id) > (scores.scored_at, scores.score_id)
    );
