-- statement: withdraw_annotation
-- purpose:   supersedes a score of feedback that was removed; it stays stored, and never becomes active again
-- reads:     scores
-- note:      one that is not active since its target is gone is marked, too: it must not return with its target.
update scores
set superseded_at = coalesce(superseded_at, $now), superseded_reason = 'withdrawn'
where
    scored_at = $scored_at
    and score_id = $score_id
    and (superseded_at is null or superseded_reason = 'target_gone');
