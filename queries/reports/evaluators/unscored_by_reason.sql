-- report:  unscored_by_reason
-- purpose: why an evaluator skipped targets of a period, or failed on them
-- grain:   status, reason
-- reads:   run_scores
select
    status,
    left(reason, 200) as reason,
    count(*) as targets,
    arg_max(agent_trace_id, started_at) as newest_run,
    max(started_at) as newest_at
from run_scores($since::timestamp, $until::timestamp, $agent, $version, $environment)
where
    evaluator = $evaluator
    and status <> 'scored'
    and evaluator_kind in ('code', 'llm', 'sql')
    and ($service is null or service_name = $service)
group by status, left(reason, 200)
order by status, targets desc, reason
limit $limit;
