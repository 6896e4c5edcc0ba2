-- report:  forms_of_evaluator
-- purpose: what an evaluator scored in each of its forms since it was first configured, the newest first
-- grain:   evaluator_version, config_hash
-- reads:   scores
-- note:    with superseded scores, without experiments.
select
    evaluator_version,
    config_hash,
    string_agg(distinct judge_model, ', ' order by judge_model) as judge_models,
    count(*) as scores,
    count(*) filter (where superseded_at is null) as active,
    count(passed) as n,
    count(*) filter (where passed) as passed,
    avg(value) as mean,
    count(*) filter (where status = 'error') as errors,
    min(scored_at) as first_at,
    max(scored_at) as last_at
from scores
where
    evaluator = $evaluator
    and experiment_id is null
    and evaluator_kind in ('code', 'llm', 'sql')
group by evaluator_version, config_hash
order by last_at desc, evaluator_version desc, config_hash
limit $limit;
