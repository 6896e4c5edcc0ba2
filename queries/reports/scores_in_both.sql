-- report:  scores_in_both
-- purpose: the number of scores of some evaluators that both a gate and its baseline select
-- grain:   one row
-- reads:   selected_scores
select count(*) as scores
from
    selected_scores(
        $since::timestamp,
        $until::timestamp,
        $agent,
        $service,
        $agent_version,
        $environment,
        $trace_ids,
        $experiment_id
    )
where
    list_contains($evaluators::varchar[], evaluator)
    and score_id in (
        select score_id
        from
            selected_scores(
                $baseline_since::timestamp,
                $baseline_until::timestamp,
                $baseline_agent,
                $baseline_service,
                $baseline_agent_version,
                $baseline_environment,
                null,
                $experiment_id
            )
    );
