-- view:    calibration_confusion
-- purpose: which label a judge gave where people gave which
-- grain:   evaluator, evaluator_version, config_hash, judge_model, judge_label, human_label
-- reads:   calibration_pairs
-- note:    only pairs in which both gave a label. Capital letters make no difference, and stand here as small ones.
create or replace view calibration_confusion as
select
    evaluator,
    evaluator_version,
    config_hash,
    judge_model,
    lower(trim(judge_label)) as judge_label,
    lower(trim(human_label)) as human_label,
    count(*) as pairs
from calibration_pairs
where judge_label is not null and human_label is not null
group by all;
