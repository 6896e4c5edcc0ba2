-- report:  lowest_scores
-- purpose: the lowest of selected scores of some evaluators that failed or have no best value, up to a number of each
-- grain:   target_id, evaluator
-- reads:   selected_scores
select
    evaluator,
    target_id,
    value,
    explanation
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
    and status = 'scored'
    and (passed is false or value < 1)
qualify row_number() over (partition by evaluator order by passed, value, target_time desc, target_id) <= $limit
order by evaluator, passed, value, target_time desc, target_id;
