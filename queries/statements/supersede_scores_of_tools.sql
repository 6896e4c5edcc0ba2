-- statement: supersede_scores_of_tools
-- purpose:   takes the older verdicts on tool definitions out of force that the arriving ones replace
-- reads:     scores
-- note:      arriving_scores is registered by the writer. A definition has no time, so all verdicts on tools are read:
--            there are as many as definitions, not as many as runs.
update scores
set superseded_at = $now
where
    superseded_at is null
    and scope = 'tool'
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
