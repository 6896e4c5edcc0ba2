-- report:  durations_by_tool
-- purpose: the duration of the calls of some tools that began in a period
-- grain:   tool
-- reads:   tool_calls, agent_traces
select
    calls.name as tool,
    quantile_cont(calls.duration_ms, 0.5) as p50_ms,
    quantile_cont(calls.duration_ms, 0.95) as p95_ms
from tool_calls as calls
inner join agent_traces as runs on calls.agent_trace_id = runs.agent_trace_id
where
    list_contains($tools::varchar[], calls.name)
    and calls.started_at >= $since::timestamp
    and calls.started_at < $until::timestamp
    and calls.duration_ms is not null
    and calls.child_agent_trace_id is null
    and not calls.is_foreign
    and runs.experiment_id is null
    and ($agent is null or coalesce(runs.agent_name, runs.service_name) = $agent)
    and ($version::varchar is null or runs.agent_version = $version::varchar)
    and ($environment is null or runs.environment = $environment)
    and ($service is null or runs.service_name = $service)
group by calls.name;
