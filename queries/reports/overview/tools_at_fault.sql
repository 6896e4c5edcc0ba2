-- report:  tools_at_fault
-- purpose: the tools whose calls failed in a period: in how many runs, how often, and of how many failing runs they
--          were the first fault
-- grain:   tool
-- reads:   tool_hours_between
-- note:    of hours that begin in the period.
select
    tool,
    sum(failed_runs)::bigint as failed_runs,
    sum(calls)::bigint as calls,
    sum(errors)::bigint as errors,
    sum(first_faults)::bigint as first_faults
from tool_hours_between($since::timestamp, $until::timestamp)
where
    ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
    and ($version::varchar is null or agent_version = $version::varchar)
    and ($environment is null or environment = $environment)
    and ($service is null or service_name = $service)
group by tool
having sum(failed_runs) > 0
order by failed_runs desc, first_faults desc, tool
limit $limit;
