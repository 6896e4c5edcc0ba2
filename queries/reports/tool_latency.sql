-- report:  tool_latency
-- purpose: the duration of the calls of a tool that began from $since until $until
-- grain:   one row
-- reads:   tool_calls, agent_traces
select
    count(*) as timed_calls,
    quantile_cont(calls.duration_ms, 0.5) as p50_ms,
    quantile_cont(calls.duration_ms, 0.95) as p95_ms
from tool_calls as calls
inner join agent_traces as runs on calls.agent_trace_id = runs.agent_trace_id
where
    calls.name = $name
    and calls.started_at >= $since::timestamp
    and calls.started_at < $until::timestamp
    and calls.duration_ms is not null
    and calls.child_agent_trace_id is null
    and not calls.is_foreign
    and runs.experiment_id is null
    and ($agent is null or coalesce(runs.agent_name, runs.service_name) = $agent)
    and ($version::varchar is null or runs.agent_version = $version::varchar)
    and ($environment is null or runs.environment = $environment);
