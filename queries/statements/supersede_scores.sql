-- statement: supersede_scores
-- purpose:   takes the older scores inactive that the arriving ones replace
-- reads:     scores
-- note:      arriving_scores is registered by the writer. Its range of target_time bounds what is read: an older
--            score judged a thing that began at the same time. Sessions and tools are left to
--            supersede_scores_at_any_time.
update scores
set superseded_at = $now, superseded_reason = 'replaced'
where
    superseded_at is null
    and target_time >= (select min(target_time) from arriving_scores)
    and target_time <= (select max(target_time) from arriving_scores)
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
