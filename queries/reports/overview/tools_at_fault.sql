-- report:  tools_at_fault
-- purpose: the tools whose calls failed in a period: in how many runs, how often, and of how many failing runs they
--          were the first fault
-- grain:   tool
-- reads:   selected_runs, tool_hours_between
with failed as (
    select
        tool,
        count(distinct agent_trace_id) as failed_runs
    from (
        select
            agent_trace_id,
            unnest(failed_tools) as tool
        from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
        where failed_tools is not null and ($service is null or service_name = $service)
    ) as listed
    group by tool
),

used as (
    select
        tool,
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
)

select
    failed.tool,
    failed.failed_runs,
    coalesce(used.calls, 0) as calls,
    coalesce(used.errors, 0) as errors,
    coalesce(used.first_faults, 0) as first_faults
from failed
left join used using (tool)
order by failed.failed_runs desc, first_faults desc, failed.tool
limit $limit;
