-- report:  worst_runs
-- purpose: the failing runs of a window with the lowest scores, the newest first
-- grain:   agent_trace_id
-- reads:   runs
select
    agent_trace_id,
    started_at,
    agent_name,
    agent_version,
    left(input, 200) as input,
    outcome,
    worst_evaluator,
    worst_value,
    left(worst_explanation, 200) as worst_explanation,
    fault_tool,
    left(first_fault, 200) as first_fault
from runs
where
    failing
    and started_at >= $since::timestamp
    and started_at < $until::timestamp
    and ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service)
order by worst_value asc nulls last, started_at desc, agent_trace_id
limit 10;
