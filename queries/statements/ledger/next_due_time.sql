-- statement: next_due_time
-- purpose:   when the first deferred target of some evaluators is due; paused evaluators are left out
-- reads:     due_later, paused_evaluators
select min(not_before)
from due_later
where
    evaluator in (select unnest(string_split($evaluators, chr(31))))
    and evaluator not in (select evaluator from paused_evaluators);
