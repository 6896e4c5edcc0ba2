-- report:  tools_by_name
-- purpose: the use of the 1,000 most called tools in production: number of calls, duration, failures
-- grain:   name
-- reads:   tool_calls, agent_traces
select
    name as tool,
    count(*) as calls,
    count(*) filter (where status = 'error') as failed,
    round(median(duration_ms), 1) as p50_ms,
    round(quantile_cont(duration_ms, 0.95), 1) as p95_ms
from tool_calls
where
    status <> 'not_executed'
    and child_agent_trace_id is null
    and not is_foreign
    and agent_trace_id in (
        select agent_trace_id
        from agent_traces
        where experiment_id is null
    )
group by name
order by calls desc, tool
limit 1000;
