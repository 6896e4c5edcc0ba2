-- report:  tool_rates
-- purpose: the use of tools, by version of the agent or of all, in the hours that begin from $since until $until:
--          calls, errors,
--          runs with invalid calls, and failing runs of which it was the first fault
-- grain:   tool, agent, agent_version
-- reads:   tool_hours_between
-- note:    agent and version are those of the outermost run, and null unless $by_version; null selects all. duration_ms
--          is the sum over timed_calls.
select
    tool,
    case when $by_version then coalesce(nullif(agent_name, ''), nullif(service_name, '')) end as agent,
    case when $by_version then nullif(agent_version, '') end as agent_version,
    sum(calls)::bigint as calls,
    sum(errors)::bigint as errors,
    sum(invalid_runs)::bigint as invalid_runs,
    sum(first_faults)::bigint as first_faults,
    sum(timed_calls)::bigint as timed_calls,
    sum(duration_ms)::double as duration_ms
from tool_hours_between($since::timestamp, $until::timestamp)
where
    ($name is null or tool = $name)
    and ($search::varchar is null or contains(lower(tool), lower($search)))
    and ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
    and ($version::varchar is null or agent_version = $version::varchar)
    and ($environment is null or environment = $environment)
group by all
order by calls desc, tool, agent, agent_version
limit $limit;
