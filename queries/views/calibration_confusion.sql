-- view:    calibration_confusion
-- purpose: how often a judge gave a label where people gave the same or another one
-- grain:   evaluator, evaluator_version, config_hash, judge_model, judge_label, human_label
-- reads:   calibration_pairs
-- note:    only pairs in which both gave a label. Labels are compared and shown in lower case.
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
