-- statement: resume_evaluator
-- purpose:   lets a paused evaluator go on
-- reads:     paused_evaluators
delete from paused_evaluators
where evaluator = $evaluator;
