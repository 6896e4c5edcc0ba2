-- statement: withdraw_scores_of_feedback
-- purpose:   supersedes feedback whose target does not exist at present
-- reads:     scores
-- note:      lost_feedback is registered by the writer.
update scores
set superseded_at = $now, superseded_reason = 'target_gone'
where
    superseded_at is null
    and scored_at between (select min(scored_at) from lost_feedback) and (select max(scored_at) from lost_feedback)
    and score_id in (select score_id from lost_feedback);
