-- report:  tools_by_hour
-- purpose: Since when does a tool fail?
-- grain:   starts_at, tool
-- reads:   run_calls, few
-- note:    by hour; by day if the period is over three days. A call failed by its status, or by its result according to
--          tool_error; it counts at the start of its run.
-- tool:    only this tool
select
    time_bucket(
        case when $until::timestamp - $since::timestamp > interval 3 day then interval 1 day else interval 1 hour end,
        started_at
    ) as starts_at,
    tool,
    count(*) as n,
    round(count(*) filter (where failed) / count(*), 4) as error_rate,
    round(quantile_cont(duration_ms, 0.95), 1) as p95_ms,
    few(count(*)) as remark
from run_calls($since::timestamp, $until::timestamp, $agent, $version, $environment)
where $tool is null or tool = $tool
group by all
order by tool, starts_at;
