-- report:  rates_of_evaluators
-- purpose: the active scores of evaluators by version of the agent or of all, in the hours that begin from $since until
--          $until
-- grain:   evaluator, agent, agent_version
-- reads:   score_hours_between
-- note:    scores on outermost runs, their calls and sub-agents; null selects all; agent and version are
--          null unless $by_version. A cost is null if none is known.
select
    evaluator,
    case when $by_version then coalesce(nullif(agent_name, ''), nullif(service_name, '')) end as agent,
    case when $by_version then nullif(agent_version, '') end as agent_version,
    sum(scored)::bigint as scored,
    sum(skipped)::bigint as skipped,
    sum(errors)::bigint as errors,
    sum(passed)::bigint as passed,
    sum(failed)::bigint as failed,
    sum(valued)::bigint as valued,
    sum(value_nano)::double / 1e9 as value_sum,
    sum(priced)::bigint as priced,
    sum(cost_nanousd)::double / 1e9 as cost_usd
from score_hours_between($since::timestamp, $until::timestamp)
where
    evaluator_kind in ('code', 'llm', 'sql')
    and list_contains($evaluators::varchar[], evaluator)
    and ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
    and ($version::varchar is null or agent_version = $version::varchar)
    and ($environment is null or environment = $environment)
    and ($service is null or service_name = $service)
group by all
order by evaluator, scored desc, agent, agent_version
limit $limit;
