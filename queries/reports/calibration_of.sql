-- report:  calibration_of
-- purpose: the agreement of judges with people: for one evaluator, for some or, where none is named, for all; the
--          present form
--          last
-- grain:   evaluator, evaluator_version, config_hash, judge_model
-- reads:   calibration
select *
from calibration
where
    ($evaluator is null or evaluator = $evaluator)
    and ($evaluators::varchar[] is null or list_contains($evaluators::varchar[], evaluator))
order by evaluator, last_judged_at, evaluator_version, config_hash, judge_model;
