-- report:  failing_tools
-- purpose: the tools of a window that failed most often, or were the first fault of most failing runs
-- grain:   tool
-- reads:   tool_hours_between
select
    tool,
    sum(calls)::bigint as n,
    sum(errors)::bigint as errors,
    sum(errors) / nullif(sum(calls), 0) as error_rate,
    sum(invalid_runs)::bigint as invalid_runs,
    sum(first_faults)::bigint as first_faults,
    sum(duration_ms) / nullif(sum(timed_calls), 0) as mean_ms
from tool_hours_between($since, $until)
where
    ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service)
group by tool
having sum(errors) > 0 or sum(invalid_runs) > 0 or sum(first_faults) > 0
order by first_faults desc, errors desc, invalid_runs desc, tool
limit 10;
