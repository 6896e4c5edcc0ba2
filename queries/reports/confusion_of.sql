-- report:  confusion_of
-- purpose: the labels of judges against those of people: for one evaluator or, where none is named, for all
-- grain:   evaluator, evaluator_version, config_hash, judge_model, judge_label, human_label
-- reads:   calibration_confusion
select *
from calibration_confusion
where $evaluator is null or evaluator = $evaluator
order by evaluator, evaluator_version, config_hash, judge_model, judge_label, human_label;
