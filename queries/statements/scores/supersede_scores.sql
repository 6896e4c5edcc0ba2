-- statement: supersede_scores
-- purpose:   supersedes the older scores within a period of replaceable_periods that the arriving ones replace
-- reads:     scores
-- note:      arriving_scores is registered by the writer. The period limits what is read; where it is null, only scores
--            on sessions and tools are compared, of which there are fewer.
update scores
set superseded_at = $now, superseded_reason = 'replaced'
where
    superseded_at is null
    and experiment_id is null
    and (
        target_time between $earliest::timestamp and $latest::timestamp
        or ($earliest::timestamp is null and scope in ('session', 'tool'))
    )
    and exists (
        select 1
        from arriving_scores as newer
        where
            newer.experiment_id is null
            and newer.target_id = scores.target_id
            and newer.evaluator = scores.evaluator
            and newer.evaluator_kind = scores.evaluator_kind
            and newer.author = scores.author
            and newer.score_id <> scores.score_id
    );
