-- statement: supersede_scores_of_moved_runs
-- purpose:   takes the older scores inactive that the arriving ones replace on runs which began at another time
--            by what was known of them before
-- reads:     scores
-- note:      arriving_scores is registered by the writer. What former_starts_of_scores gives bounds what is read; a
--            call is looked for within a day of its run.
update scores
set superseded_at = $now, superseded_reason = 'replaced'
where
    superseded_at is null
    and scope in ('trace', 'tool_call')
    and target_time between $earliest::timestamp - interval 1 day and $latest::timestamp + interval 1 day
    and exists (
        select 1
        from arriving_scores as newer
        where
            newer.agent_trace_id = scores.agent_trace_id
            and newer.evaluator = scores.evaluator
            and newer.evaluator_kind = scores.evaluator_kind
            and newer.author = scores.author
            and newer.score_id <> scores.score_id
            and (newer.target_id = scores.target_id or newer.revision > scores.revision)
    );
