-- report:  faults_of_tool
-- purpose: what went wrong in the calls of a tool in a period, by pattern: how often, in how many runs, of how many
--          failing runs it was the first fault, and the newest call
-- grain:   pattern_id
-- reads:   failures, selected_runs
with listed as (
    select *
    from failures
    where
        tool = $name
        and time >= $since::timestamp
        and time < $until::timestamp
        and ($agent is null or coalesce(agent_name, service_name) = $agent)
        and ($version::varchar is null or agent_version = $version::varchar)
        and ($environment is null or environment = $environment)
        and ($service is null or service_name = $service)
),

grouped as (
    select
        pattern_id,
        any_value(class) as class,
        any_value(pattern) as pattern,
        list(distinct evaluator) filter (where evaluator is not null) as evaluators,
        count(distinct target_id || coalesce('#' || position, '')) as calls,
        count(distinct agent_trace_id) as runs,
        max(time) as last_at,
        arg_max(agent_trace_id, time) as newest_run,
        arg_max(text, time) as newest_text
    from listed
    group by pattern_id
),

faulty as (
    select
        pattern_id,
        count(*) as fault_runs
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version::varchar, $environment)
    where failing and fault_tool = $name and ($service is null or service_name = $service)
    group by pattern_id
)

select
    grouped.*,
    coalesce(faulty.fault_runs, 0) as fault_runs
from grouped
left join faulty using (pattern_id)
order by fault_runs desc, grouped.calls desc, grouped.pattern_id
limit $limit;
