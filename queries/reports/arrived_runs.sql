-- report:  arrived_runs
-- purpose: how many of the runs that a filter selects were assembled, or again, after $after_seq
-- grain:   one row
-- reads:   runs
-- splices: condition
select count(*) as runs
from runs
where
    assembled_seq > $after_seq
    and started_at >= $since::timestamp
    and started_at < $until::timestamp
    and (
        ${condition}
    );
