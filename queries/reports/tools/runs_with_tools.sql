-- report:  runs_with_tools
-- purpose: the runs of a period by tool: those that called it, in which a call failed or was invalid, and failing ones
--          of which a call was the first fault; as the filter of runs counts them; and all failing ones; those first
--          that most failing runs failed by
-- grain:   tool
-- reads:   selected_runs
-- note:    of the tools whose name contains $search, the first $limit; `total` is how many there are.
with selected as materialized (
    select
        tools,
        failed_tools,
        invalid_tools,
        case when failing then fault_tool end as fault_tool
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version::varchar, $environment)
    where
        ($service is null or service_name = $service)
        and (tools is not null or failed_tools is not null or invalid_tools is not null or fault_tool is not null)
),

named as (
    select
        unnest(tools) as tool,
        'runs' as kind
    from selected
    union all
    select
        unnest(failed_tools) as tool,
        'failed' as kind
    from selected
    union all
    select
        unnest(invalid_tools) as tool,
        'invalid' as kind
    from selected
    union all
    select
        fault_tool as tool,
        'fault' as kind
    from selected
),

total as (
    select count(*) as failing_runs
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version::varchar, $environment)
    where failing and ($service is null or service_name = $service)
)

select
    tool,
    count(*) filter (where kind = 'runs') as runs,
    count(*) filter (where kind = 'failed') as failed_runs,
    count(*) filter (where kind = 'invalid') as invalid_runs,
    count(*) filter (where kind = 'fault') as fault_runs,
    any_value(total.failing_runs) as failing_runs,
    count(*) over () as total
from named
cross join total
where
    tool is not null
    and ($name is null or tool = $name)
    and ($search::varchar is null or contains(lower(tool), lower($search)))
group by tool
order by fault_runs desc, failed_runs desc, runs desc, tool
limit $limit;
