-- statement: next_due_time
-- purpose:   when the first deferred target of some evaluators is due; paused evaluators are left out
-- reads:     deferrals, paused_evaluators
select min(not_before)
from deferrals
where
    evaluator in (select unnest(string_split($evaluators, chr(31))))
    and evaluator not in (select evaluator from paused_evaluators);
