-- statement: advance_rebuild
-- purpose:   notes what became of the traces that came next in the rebuild under way
-- reads:     rebuilds
update rebuilds
set
    done = done + $done,
    arriving = arriving + $arriving,
    deferred = deferred + $deferred,
    failed = failed + $failed,
    same_runs = same_runs + $same_runs,
    changed_runs = changed_runs + $changed_runs,
    new_runs = new_runs + $new_runs,
    vanished_runs = vanished_runs + $vanished_runs
where ended_at is null;
