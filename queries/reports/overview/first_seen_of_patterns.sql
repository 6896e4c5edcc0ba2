-- report:  first_seen_of_patterns
-- purpose: when the first of all runs began whose first fault has one of these patterns
-- grain:   pattern_id
-- reads:   runs
select
    pattern_id,
    min(started_at) as first_seen_at
from runs
where pattern_id in (select unnest($pattern_ids::varchar[]))
group by pattern_id;
