-- statement: paused_evaluators
-- purpose:   the evaluators that are paused
-- reads:     paused_evaluators
select evaluator
from paused_evaluators;
