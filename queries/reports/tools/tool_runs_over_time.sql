-- report:  tool_runs_over_time
-- purpose: the runs of a period that called a tool, by hour, day or month, and in how many of them a call failed
-- grain:   begin
-- reads:   selected_runs
select
    date_trunc($step, started_at)::timestamp as begin,
    count(*) as runs,
    count(*) filter (where list_contains(failed_tools, $name)) as failed_runs
from selected_runs($since::timestamp, $until::timestamp, $agent, $version::varchar, $environment)
where list_contains(tools, $name) and ($service is null or service_name = $service)
group by all
order by begin;
