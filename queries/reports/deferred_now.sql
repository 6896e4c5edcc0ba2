-- report:  deferred_now
-- purpose: the number of deferred targets of each evaluator, the earliest time at which one is due, and the reasons,
--          for `tracegrade backfill`
-- grain:   evaluator
-- reads:   deferrals
-- note:    $backfill is the priority of targets of backfills, which are not deferred.
select
    evaluator,
    count(*) as targets,
    min(not_before) as first_at,
    arg_min(reason, not_before) as reason
from deferrals
where priority <> $backfill
group by evaluator
order by evaluator;
