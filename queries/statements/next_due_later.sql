-- statement: next_due_later
-- purpose:   when the first of what some evaluators put off is due; those that are paused have time
-- reads:     due_later, paused_evaluators
select min(not_before)
from due_later
where
    evaluator in (select unnest(string_split($evaluators, chr(31))))
    and evaluator not in (select evaluator from paused_evaluators);
