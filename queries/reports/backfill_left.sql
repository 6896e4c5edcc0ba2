-- report:  backfill_left
-- purpose: how many targets of backfills each evaluator still has to evaluate
-- grain:   evaluator
-- reads:   due_later
-- note:    $backfill is the priority of targets of backfills.
select
    evaluator,
    count(*) as targets
from due_later
where priority = $backfill
group by evaluator
order by evaluator;
