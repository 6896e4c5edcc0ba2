-- report:  tool_versions
-- purpose: the use of a tool in the hours of a period by agent and version: calls, errors, mean duration, runs with
--          invalid calls, and failing runs of which it was the first fault
-- grain:   agent, agent_version
-- reads:   tool_hours_between
-- note:    agent and version are those of the outermost run; null: not recorded.
select
    coalesce(nullif(agent_name, ''), nullif(service_name, '')) as agent,
    nullif(agent_version, '') as agent_version,
    sum(calls)::bigint as calls,
    sum(errors)::bigint as errors,
    sum(invalid_runs)::bigint as invalid_runs,
    sum(first_faults)::bigint as fault_runs,
    sum(duration_ms)::double / nullif(sum(timed_calls), 0) as mean_ms,
    min(hour) as first_at
from tool_hours_between($since::timestamp, $until::timestamp)
where
    tool = $name
    and ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
    and ($version::varchar is null or agent_version = $version::varchar)
    and ($environment is null or environment = $environment)
    and ($service is null or service_name = $service)
group by all
order by first_at desc, calls desc, agent, agent_version
limit $limit;
