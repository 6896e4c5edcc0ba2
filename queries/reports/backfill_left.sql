-- report:  backfill_left
-- purpose: how many targets of backfills each evaluator still has to evaluate
-- grain:   evaluator
-- reads:   deferrals
-- note:    $backfill is the priority of targets of backfills.
select
    evaluator,
    count(*) as targets
from deferrals
where priority = $backfill
group by evaluator
order by evaluator;
