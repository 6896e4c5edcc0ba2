-- report:  calls_by_tool
-- purpose: the executed calls of some tools in the hours of a period, how many failed, and the same in 24 equal parts
--          of it
-- grain:   tool
-- reads:   tool_hours_between
-- note:    a part is null if the tool was not called in it. A period without a begin begins with the first call.
with hours as (
    select
        tool,
        hour,
        sum(calls) as calls,
        sum(errors) as errors
    from tool_hours_between($since::timestamp, $until::timestamp)
    where
        list_contains($tools::varchar[], tool)
        and ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
        and ($version::varchar is null or agent_version = $version::varchar)
        and ($environment is null or environment = $environment)
        and ($service is null or service_name = $service)
    group by tool, hour
),

period as (
    select if($since::timestamp = timestamp '0001-01-01', min(hour), $since::timestamp) as first_hour
    from hours
),

parts as (
    select
        hours.tool,
        floor(
            epoch(hours.hour - period.first_hour) * 24 / greatest(epoch($until::timestamp - period.first_hour), 1)
        )::integer as part,
        sum(hours.calls) as calls,
        sum(hours.errors) as errors
    from hours
    cross join period
    group by all
)

select
    tool,
    sum(calls)::bigint as calls,
    sum(errors)::bigint as errors,
    list({ 'part': part, 'rate': errors / nullif(calls, 0) } order by part) as parts
from parts
group by tool;
