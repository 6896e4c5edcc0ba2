-- report:  deferred
-- purpose: how many targets each evaluator has deferred, by the kind of reason, for /metrics
-- grain:   evaluator, kind
-- reads:   deferrals
-- note:    $backfill is the priority of targets of backfills, which are not deferred.
select
    evaluator,
    kind,
    count(*) as targets
from deferrals
where priority < $backfill
group by all;
