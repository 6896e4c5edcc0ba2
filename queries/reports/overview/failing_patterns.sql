-- report:  failing_patterns
-- purpose: the faults that made the most runs of a period fail
-- grain:   pattern_id
-- reads:   selected_runs
-- note:    a run counts once, by its first fault.
select
    pattern_id,
    any_value(fault_tool) as tool,
    any_value(fault_evaluator) as evaluator,
    any_value(fault_class) as class,
    any_value(fault_pattern) as pattern,
    count(*) as runs,
    max(started_at) as last_seen_at
from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
where failing and pattern_id is not null and ($service is null or service_name = $service)
group by pattern_id
order by runs desc, last_seen_at desc, pattern_id
limit $limit;
