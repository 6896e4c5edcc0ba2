-- report:  put_off_now
-- purpose: what each evaluator has put off, until when it waits at the least, and why, for `tracegrade backfill`
-- grain:   evaluator
-- reads:   due_later
-- note:    $backfill is the priority of what a backfill asked for, which nobody put off.
select
    evaluator,
    count(*) as targets,
    min(not_before) as first_at,
    arg_min(reason, not_before) as reason
from due_later
where priority <> $backfill
group by evaluator
order by evaluator;
