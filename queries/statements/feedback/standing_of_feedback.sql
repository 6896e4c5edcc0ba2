-- statement: standing_of_feedback
-- purpose:   why a score of feedback is not active (null: it is), and the score that replaced it, if one did
-- grain:     one row; none if the feedback has no score yet
-- reads:     scores
-- note:      $scored_at is the time of the score, which limits what is read.
with given as materialized (
    select *
    from scores
    where scored_at = $scored_at and score_id = $score_id
)

select
    given.superseded_at is null as active,
    given.superseded_reason,
    (
        select newer.score_id
        from latest_scores as newer
        where
            newer.target_id = given.target_id
            and newer.span_id is not distinct from given.span_id
            and newer.evaluator = given.evaluator
            and newer.evaluator_kind = given.evaluator_kind
            and newer.author = given.author
    ) as active_score_id
from given;
