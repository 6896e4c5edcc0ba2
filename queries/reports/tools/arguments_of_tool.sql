-- report:  arguments_of_tool
-- purpose: the arguments of the newest 2,000 calls of a tool in a period: in how many calls each is, and its five most
--          frequent values, with how many of these calls failed
-- grain:   argument, value
-- reads:   tool_calls, agent_traces
-- note:    is_cut: the value is only the first 200 characters.
with newest as (
    select
        calls.args,
        calls.status
    from tool_calls as calls
    inner join agent_traces as runs on calls.agent_trace_id = runs.agent_trace_id
    where
        calls.name = $name
        and calls.args is not null
        and json_type(calls.args) = 'OBJECT'
        and not calls.is_foreign
        and calls.child_agent_trace_id is null
        and runs.experiment_id is null
        and runs.started_at >= $since::timestamp
        and runs.started_at < $until::timestamp
        and ($agent is null or coalesce(runs.agent_name, runs.service_name) = $agent)
        and ($version::varchar is null or runs.agent_version = $version::varchar)
        and ($environment is null or runs.environment = $environment)
        and ($service is null or runs.service_name = $service)
    order by runs.started_at desc
    limit 2000
),

entries as (
    select
        unnest(json_keys(args)) as argument,
        args,
        status
    from newest
),

counted as (
    select
        argument,
        left(json_extract_string(args, '/' || replace(replace(argument, '~', '~0'), '/', '~1')), 200) as value,
        len(value) = 200 as is_cut,
        count(*) as calls,
        count(*) filter (where status = 'error') as errors
    from entries
    group by all
),

ranked as (
    select
        *,
        sum(calls) over (partition by argument)::bigint as argument_calls,
        count(*) over (partition by argument) as value_count,
        row_number() over (partition by argument order by calls desc, value) as place
    from counted
),

total as (
    select count(*) as newest_calls
    from newest
)

select
    ranked.*,
    total.newest_calls
from ranked
cross join total
where ranked.place <= 5
order by ranked.argument_calls desc, ranked.argument, ranked.place
limit $limit;
