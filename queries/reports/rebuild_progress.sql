-- report:  rebuild_progress
-- purpose: the progress and the results of a rebuild
-- grain:   one row
-- reads:   rebuilds
select
    ended_at is not null as is_ended,
    traces,
    done,
    arriving,
    deferred,
    failed,
    same_runs,
    changed_runs,
    new_runs,
    vanished_runs
from rebuilds
where rebuild_id = $rebuild_id;
