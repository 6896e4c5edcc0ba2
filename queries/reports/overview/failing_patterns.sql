-- report:  failing_patterns
-- purpose: the faults that made the most runs of a period fail, and when each was seen first at all
-- grain:   pattern_id
-- reads:   selected_runs, runs
-- note:    a run counts once, by its first fault.
with counted as materialized (
    select
        pattern_id,
        fault_tool as tool,
        fault_evaluator as evaluator,
        fault_class as class,
        fault_pattern as pattern,
        count(*) as runs,
        max(started_at) as last_seen_at,
        list_sort(list_distinct(list(agent_version))) as versions
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where failing and pattern_id is not null and ($service is null or service_name = $service)
    group by all
    order by runs desc, last_seen_at desc, pattern_id
    limit $limit
),

seen as (
    select
        pattern_id,
        min(started_at) as first_seen_at
    from runs
    where pattern_id in (select counted.pattern_id from counted)
    group by pattern_id
)

select
    counted.*,
    seen.first_seen_at
from counted
inner join seen using (pattern_id)
order by counted.runs desc, counted.last_seen_at desc, counted.pattern_id;
