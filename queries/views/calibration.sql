-- view:    calibration
-- purpose: the agreement of each form of a judge with people
-- grain:   evaluator, evaluator_version, config_hash, judge_model
-- reads:   calibration_pairs, cohens_kappa
-- note:    agreement, kappa and the four counts are over the pairs in which both say whether the target passed;
--          positive means passed. Without such pairs agreement and kappa are null; kappa also if both passed
--          everything or nothing. The differences are over pairs in which both gave a value; label_agreement is over
--          those with labels.
create or replace view calibration as
select
    evaluator,
    evaluator_version,
    config_hash,
    judge_model,
    n,
    targets,
    authors,
    active,
    compared,
    (true_positives + true_negatives) / nullif(compared, 0) as agreement,
    cohens_kappa(true_positives, false_positives, false_negatives, true_negatives) as cohens_kappa,
    true_positives,
    false_positives,
    true_negatives,
    false_negatives,
    valued,
    mean_absolute_difference,
    mean_difference,
    labelled,
    label_agreement,
    first_judged_at,
    last_judged_at
from (
    select
        evaluator,
        evaluator_version,
        config_hash,
        judge_model,
        count(*) as n,
        count(distinct target_id) as targets,
        count(distinct author) as authors,
        count(*) filter (where active) as active,
        count(*) filter (where judge_passed is not null and human_passed is not null) as compared,
        count(*) filter (where judge_passed and human_passed) as true_positives,
        count(*) filter (where judge_passed and not human_passed) as false_positives,
        count(*) filter (where not judge_passed and not human_passed) as true_negatives,
        count(*) filter (where not judge_passed and human_passed) as false_negatives,
        count(judge_value - human_value) as valued,
        avg(abs(judge_value - human_value)) as mean_absolute_difference,
        avg(judge_value - human_value) as mean_difference,
        count(*) filter (where judge_label is not null and human_label is not null) as labelled,
        avg((lower(trim(judge_label)) = lower(trim(human_label)))::int) as label_agreement,
        min(judge_scored_at) as first_judged_at,
        max(judge_scored_at) as last_judged_at
    from calibration_pairs
    group by evaluator, evaluator_version, config_hash, judge_model
) as counted;
