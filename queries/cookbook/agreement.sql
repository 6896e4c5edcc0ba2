-- report:    agreement
-- purpose:   Where do judges and people disagree?
-- grain:     evaluator, target_id, author
-- reads:     calibration_pairs, agent_traces
-- period:    28d
-- note:      active scores of judges, and people who scored the same target under the name of the evaluator, of which
--            one passed it and the other did not. n are all pairs of the evaluator, agreement_rate the share that
--            agrees; `tracegrade calibrate` has kappa. The newest 50.
-- evaluator: only this evaluator
select
    pairs.human_scored_at as labelled_at,
    pairs.evaluator,
    pairs.author,
    if(pairs.human_passed, 'passed', 'failed') as person,
    if(pairs.judge_passed, 'passed', 'failed') as judge,
    round(pairs.judge_value, 3) as judge_value,
    left(pairs.judge_explanation, 200) as judge_explanation,
    left(pairs.human_explanation, 200) as human_explanation,
    count(*) over (partition by pairs.evaluator) as n,
    round(
        count(*) filter (where pairs.human_passed = pairs.judge_passed) over (partition by pairs.evaluator)
        / count(*) over (partition by pairs.evaluator),
        4
    ) as agreement_rate,
    pairs.target_id
from calibration_pairs as pairs
left join agent_traces as runs on pairs.agent_trace_id = runs.agent_trace_id
where
    pairs.active
    and pairs.human_passed is not null
    and pairs.judge_passed is not null
    and runs.experiment_id is null
    and pairs.target_time >= $since::timestamp
    and pairs.target_time < $until::timestamp
    and ($agent is null or coalesce(runs.agent_name, runs.service_name) = $agent)
    and ($version is null or runs.agent_version = $version)
    and ($environment is null or runs.environment = $environment)
    and ($evaluator is null or pairs.evaluator = $evaluator)
qualify pairs.human_passed <> pairs.judge_passed
order by labelled_at desc, pairs.evaluator, pairs.target_id, pairs.author
limit 50;
