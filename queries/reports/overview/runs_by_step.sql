-- report:  runs_by_step
-- purpose: the runs of a period by outcome and their cost, in steps of some hours
-- grain:   starts_at
-- reads:   run_hours_between
-- note:    a step begins a whole number of steps after $since. Null selects all.
select
    $since::timestamp
    + to_hours((datediff('hour', $since::timestamp, hour) // $step_hours::bigint * $step_hours::bigint)::int)
        as starts_at,
    sum(runs)::bigint as runs,
    sum(error_runs)::bigint as errors,
    sum(failing_runs)::bigint as failing,
    sum(passed_runs)::bigint as passed,
    sum(waiting_runs)::bigint as waiting,
    sum(unfinished_runs)::bigint as unfinished,
    sum(scored_runs)::bigint as scored,
    sum(priced_runs)::bigint as priced,
    sum(cost_nanousd)::double / 1e9 as cost_usd,
    sum(failing_cost_nanousd)::double / 1e9 as failing_cost_usd,
    sum(input_tokens)::bigint as input_tokens,
    sum(output_tokens)::bigint as output_tokens
from run_hours_between($since::timestamp, $until::timestamp)
where
    ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
    and ($version::varchar is null or agent_version = $version::varchar)
    and ($environment is null or environment = $environment)
    and ($service is null or service_name = $service)
group by all
order by starts_at;
