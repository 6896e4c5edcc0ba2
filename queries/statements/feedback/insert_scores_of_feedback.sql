-- statement: insert_scores_of_feedback
-- purpose:   stores feedback whose target is known as scores, each once
-- reads:     scores, feedback
-- note:      placed_feedback is registered by the writer; its times limit what is read.
insert into scores by name
select
    placed.*,
    feedback.evaluator_type,
    0 as evaluator_version,
    '' as config_hash,
    feedback.value,
    feedback.label,
    feedback.passed,
    feedback.explanation,
    feedback.details,
    feedback.status,
    feedback.reason
from placed_feedback as placed
inner join feedback on placed.scored_at = feedback.scored_at and placed.score_id = feedback.score_id
where
    feedback.scored_at between
    (select min(scored_at) from placed_feedback) and (select max(scored_at) from placed_feedback)
    and placed.score_id not in (
        select score_id
        from scores
        where
            scored_at between
            (select min(scored_at) from placed_feedback) and (select max(scored_at) from placed_feedback)
    );
