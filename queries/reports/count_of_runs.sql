-- report:  count_of_runs
-- purpose: how many runs of a period a filter selects
-- grain:   one row
-- reads:   runs
-- splices: condition
select count(*) as count
from runs
where
    started_at >= $since::timestamp
    and started_at < $until::timestamp
    and (
        ${condition}
    );
