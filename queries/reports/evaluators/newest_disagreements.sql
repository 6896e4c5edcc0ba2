-- report:  newest_disagreements
-- purpose: the newest labels of people that contradict the active score of a judge, on targets of a period
-- grain:   target_id, author
-- reads:   calibration_pairs, agent_traces
select
    pairs.human_scored_at as labelled_at,
    pairs.author,
    pairs.human_passed,
    pairs.judge_passed,
    pairs.judge_value,
    left(pairs.judge_explanation, 200) as judge_explanation,
    left(pairs.human_explanation, 200) as human_explanation,
    pairs.agent_trace_id,
    pairs.target_id,
    pairs.target_time
from calibration_pairs as pairs
left join agent_traces as runs on pairs.agent_trace_id = runs.agent_trace_id
where
    pairs.evaluator = $evaluator
    and pairs.active
    and pairs.human_passed <> pairs.judge_passed
    and pairs.target_time >= $since::timestamp
    and pairs.target_time < $until::timestamp
    and ($agent is null or coalesce(runs.agent_name, runs.service_name) = $agent)
    and ($version::varchar is null or runs.agent_version = $version::varchar)
    and ($environment is null or runs.environment = $environment)
    and ($service is null or runs.service_name = $service)
order by labelled_at desc, pairs.target_id, pairs.author
limit $limit;
