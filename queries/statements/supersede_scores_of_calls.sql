-- statement: supersede_scores_of_calls
-- purpose:   takes the scores on the calls of a run inactive when the arriving ones judge a newer revision of it,
--            in which there may be fewer calls, and others under the same positions; and one on the whole run when the
--            arriving ones are on its calls, or the other way round
-- reads:     scores
-- note:      arriving_scores is registered by the writer. A call is looked for within a day of the others of its run.
update scores
set superseded_at = $now, superseded_reason = 'replaced'
where
    superseded_at is null
    and scope = 'tool_call'
    and target_time between
    (select min(target_time) - interval 1 day from arriving_scores)
    and (select max(target_time) + interval 1 day from arriving_scores)
    and exists (
        select 1
        from arriving_scores as newer
        where
            newer.agent_trace_id = scores.agent_trace_id
            and newer.evaluator = scores.evaluator
            and newer.evaluator_kind = scores.evaluator_kind
            and newer.author = scores.author
            and (
                newer.revision > scores.revision
                or (
                    newer.revision = scores.revision
                    and (newer.tool_call_position is null) <> (scores.tool_call_position is null)
                )
            )
    );
