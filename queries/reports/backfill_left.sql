-- report:  backfill_left
-- purpose: how many runs each evaluator still has to judge of those that a backfill asked for
-- grain:   evaluator
-- reads:   due_later
select
    evaluator,
    count(*) as runs
from due_later
where reason = 'backfill'
group by evaluator
order by evaluator;
