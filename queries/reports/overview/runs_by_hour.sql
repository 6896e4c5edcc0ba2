-- report:  runs_by_hour
-- purpose: how many runs began in each hour of a window, by outcome
-- grain:   hour
-- reads:   run_hours_between
-- note:    $since and $until are full hours; so in all reports of the overview. Nulls select every agent and so on.
select
    hour,
    sum(error_runs)::bigint as error_runs,
    sum(failing_runs - error_runs)::bigint as failing_runs,
    sum(passed_runs)::bigint as passed_runs,
    sum(runs - failing_runs - passed_runs)::bigint as not_scored_runs
from run_hours_between($since, $until)
where
    ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service)
group by hour
order by hour;
