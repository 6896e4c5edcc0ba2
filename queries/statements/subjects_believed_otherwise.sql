-- statement: subjects_believed_otherwise
-- purpose:   what feedback is about that stands in scores under another name, kind or author than it counts as: an
--            evaluator took the name since, or the trust in a service changed
-- reads:     scores, feedback, believed_feedback
with compared as materialized (
    select
        feedback.trace_id,
        feedback.session_id,
        struct_pack(
            evaluator := scores.evaluator, evaluator_kind := scores.evaluator_kind, author := scores.author
        ) as counted,
        believed_feedback(feedback, string_split($annotators, chr(31))) as belief
    from feedback
    inner join scores on feedback.scored_at = scores.scored_at and feedback.score_id = scores.score_id
    where scores.evaluator_kind in ('human', 'external')
)

select distinct
    trace_id,
    session_id
from compared
where belief <> counted;
