-- report:  runs_failed_by_evaluator
-- purpose: in how many runs of a period a score of each evaluator failed: what the filter score:NAME:failed selects
-- grain:   evaluator
-- reads:   score_hours_between
-- note:    of hours that begin in the period.
select
    evaluator,
    sum(failed_runs)::bigint as runs
from score_hours_between($since::timestamp, $until::timestamp)
where
    evaluator_kind in ('code', 'llm', 'sql')
    and ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
    and ($version::varchar is null or agent_version = $version::varchar)
    and ($environment is null or environment = $environment)
    and ($service is null or service_name = $service)
group by evaluator
having sum(failed_runs) > 0;
