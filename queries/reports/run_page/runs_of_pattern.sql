-- report:  runs_of_pattern
-- purpose: how many runs have a pattern, and when the first and the last of them began
-- grain:   one row
-- reads:   runs
select
    count(*) as runs,
    min(started_at) as first_started_at,
    max(started_at) as last_started_at
from runs
where pattern_id = $id;
