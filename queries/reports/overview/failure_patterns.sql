-- report:  failure_patterns
-- purpose: the first faults of the failing runs of a window, by pattern, the most frequent first
-- grain:   pattern_id
-- reads:   runs
select
    pattern_id,
    any_value(fault_tool) as tool,
    any_value(fault_evaluator) as evaluator,
    any_value(fault_class) as class,
    any_value(fault_pattern) as pattern,
    count(*) as n,
    min(started_at) as first_at,
    max(started_at) as last_at,
    arg_max(agent_trace_id, started_at) as newest_run
from runs
where
    failing
    and started_at >= $since::timestamp
    and started_at < $until::timestamp
    and ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service)
group by pattern_id
order by n desc, last_at desc, pattern_id
limit 10;
