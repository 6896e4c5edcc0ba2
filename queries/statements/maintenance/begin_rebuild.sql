-- statement: begin_rebuild
-- purpose:   records a rebuild of the traces that were just put into rebuild_traces
-- reads:     rebuilds, rebuild_traces
insert into rebuilds by name
select
    (select coalesce(max(rebuild_id), 0) + 1 from rebuilds) as rebuild_id,
    $since::timestamp as since,
    $now::timestamp as asked_at,
    count(*) as traces,
    0 as done,
    0 as arriving,
    0 as deferred,
    0 as failed,
    0 as same_runs,
    0 as changed_runs,
    0 as new_runs,
    0 as vanished_runs
from rebuild_traces;
