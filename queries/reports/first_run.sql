-- report:  first_run
-- purpose: when the first run of a period began; null: it has none
-- grain:   one row
-- reads:   runs
select min(started_at) as started_at
from runs
where started_at >= $since::timestamp and started_at < $until::timestamp;
