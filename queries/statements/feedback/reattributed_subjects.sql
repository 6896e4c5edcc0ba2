-- statement: reattributed_subjects
-- purpose:   the traces and sessions with feedback that is in scores under another name, kind or author than it counts
--            as now: an evaluator has taken the name since, or the list of annotators changed
-- reads:     scores, feedback, attributed_feedback
with compared as materialized (
    select
        feedback.trace_id,
        feedback.session_id,
        struct_pack(
            evaluator := scores.evaluator, evaluator_kind := scores.evaluator_kind, author := scores.author
        ) as counted,
        attributed_feedback(feedback, string_split($annotators, chr(31))) as attribution
    from feedback
    inner join scores on feedback.scored_at = scores.scored_at and feedback.score_id = scores.score_id
    where scores.evaluator_kind in ('human', 'external')
)

select distinct
    trace_id,
    session_id
from compared
where attribution <> counted;
