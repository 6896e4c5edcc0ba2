-- report:  newest_scores_of_runs
-- purpose: the active scores of a period on runs that a filter selects, on their calls and their sub-agents, newest
--          first, page by page; null selects all
-- grain:   score_id
-- reads:   scores, agent_traces, runs
-- splices: condition
select *
from scores
where
    superseded_at is null
    and experiment_id is null
    and scored_at >= $scored_since::timestamp
    and scored_at < $scored_until::timestamp
    and scored_at <= $after_scored_at::timestamp
    and (scored_at < $after_scored_at::timestamp or score_id < $after_score_id)
    and ($evaluator is null or evaluator = $evaluator)
    and ($evaluator_kind is null or evaluator_kind = $evaluator_kind)
    and ($status is null or status = $status)
    and ($passed is null or passed = $passed)
    and ($target is null or starts_with(target_id, $target))
    and agent_trace_id in (
        select members.agent_trace_id
        from agent_traces as members
        where
            members.root_agent_trace_id in (
                select agent_trace_id
                from runs
                where
                    started_at >= $since::timestamp
                    and started_at < $until::timestamp
                    and (
                        ${condition}
                    )
            )
    )
order by scored_at desc, score_id desc
limit $limit;
