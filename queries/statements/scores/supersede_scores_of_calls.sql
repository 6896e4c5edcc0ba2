-- statement: supersede_scores_of_calls
-- purpose:   supersedes the scores on the calls of a run where the arriving scores are on a newer revision of it, which
--            may have fewer calls, and others at the same positions; and a score on the whole run where the arriving
--            ones are on its calls, or the reverse
-- reads:     scores
-- note:      arriving_scores is registered by the writer. The period of replaceable_periods limits what is read: the
--            calls of a run begin within a day of it.
update scores
set superseded_at = $now, superseded_reason = 'replaced'
where
    superseded_at is null
    and experiment_id is null
    and scope = 'tool_call'
    and target_time between $earliest::timestamp - interval 1 day and $latest::timestamp + interval 1 day
    and exists (
        select 1
        from arriving_scores as newer
        where
            newer.experiment_id is null
            and newer.agent_trace_id = scores.agent_trace_id
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
