-- statement: resume_evaluator
-- purpose:   resumes a paused evaluator
-- reads:     paused_evaluators
delete from paused_evaluators
where evaluator = $evaluator;
