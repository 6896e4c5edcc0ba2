-- statement: advance_rebuild
-- purpose:   adds the results of the last traces to the rebuild in progress
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
