-- report:  slowest_tools
-- purpose: Which tools are the slowest?
-- grain:   agent, tool
-- reads:   run_calls, few
-- note:    calls whose duration is recorded; agent is the one that called.
select
    agent,
    tool,
    count(*) as n,
    round(quantile_cont(duration_ms, 0.95), 1) as p95_ms,
    round(quantile_cont(duration_ms, 0.5), 1) as p50_ms,
    round(max(duration_ms), 1) as max_ms,
    round(sum(duration_ms), 1) as total_ms,
    few(count(*)) as remark
from run_calls($since::timestamp, $until::timestamp, $agent, $version, $environment)
where duration_ms is not null
group by all
order by p95_ms desc, agent, tool;
