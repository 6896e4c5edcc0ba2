-- report:    to_label
-- purpose:   Which scores of judges should a person check first?
-- grain:     target_id, evaluator
-- reads:     run_scores, latest_scores
-- note:      targets that no person has scored under the name of the evaluator: first where judges of the target
--            differ, then values within 0.15 of the threshold, then a random tenth, which also finds what judges are
--            wrongly sure of. The first 50.
-- evaluator: only this evaluator
with judged as (
    select
        scores.target_id,
        scores.evaluator,
        scores.value,
        scores.passed,
        scores.explanation,
        scores.started_at,
        coalesce(scores.agent_name, scores.service_name) as agent,
        abs(scores.value - coalesce(actives.threshold, 0.5)) as distance,
        count(distinct scores.passed) over (partition by scores.target_id) > 1 as is_disagreed
    from run_scores($since::timestamp, $until::timestamp, $agent, $version, $environment) as scores
    inner join latest_scores as actives
        on
            scores.target_id = actives.target_id
            and scores.evaluator = actives.evaluator
            and actives.evaluator_kind = 'llm'
    where
        scores.evaluator_kind = 'llm'
        and scores.status = 'scored'
        and ($evaluator is null or scores.evaluator = $evaluator)
)

select
    judged.started_at,
    judged.agent,
    judged.evaluator,
    case
        when judged.is_disagreed then 'judges disagree'
        when judged.distance < 0.15 then 'near the threshold'
        else 'random'
    end as why,
    round(judged.value, 3) as value,
    left(judged.explanation, 200) as explanation,
    judged.target_id
from judged
anti join latest_scores as labels
    on
        judged.target_id = labels.target_id
        and judged.evaluator = labels.evaluator
        and labels.evaluator_kind = 'human'
where judged.is_disagreed or judged.distance < 0.15 or ('0x' || left(md5(judged.target_id), 4))::int % 10 = 0
order by judged.is_disagreed desc, judged.distance, judged.started_at desc, judged.target_id, judged.evaluator
limit 50;
