-- report:  backfill_left
-- purpose: how much each evaluator still has to judge of what a backfill asked for
-- grain:   evaluator
-- reads:   due_later
-- note:    $backfill is the priority of what a backfill asked for.
select
    evaluator,
    count(*) as targets
from due_later
where priority = $backfill
group by evaluator
order by evaluator;
