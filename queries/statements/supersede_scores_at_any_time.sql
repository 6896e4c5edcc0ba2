-- statement: supersede_scores_at_any_time
-- purpose:   takes the older scores on sessions and tool definitions inactive that the arriving ones replace
-- reads:     scores
-- note:      arriving_scores is registered by the writer. A session may have begun earlier than was known when it was
--            judged, and a definition has no time, so no time bounds what is read: there are fewer of both than runs.
update scores
set superseded_at = $now, superseded_reason = 'replaced'
where
    superseded_at is null
    and scope in ('session', 'tool')
    and exists (
        select 1
        from arriving_scores as newer
        where
            newer.target_id = scores.target_id
            and newer.evaluator = scores.evaluator
            and newer.evaluator_kind = scores.evaluator_kind
            and newer.author = scores.author
            and newer.score_id <> scores.score_id
    );
