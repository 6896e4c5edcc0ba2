-- report:    coverage
-- purpose:   What was not scored and why, by instrumentation?
-- grain:     instrumentation, evaluator, kind, status, reason
-- reads:     run_scores, few
-- note:      n are all targets of the evaluator in runs of this instrumentation. Targets that an evaluator does not
--            select (when, sample) have no score at all: `tracegrade explain` says why.
-- evaluator: only this evaluator
select
    dialect as instrumentation,
    evaluator,
    evaluator_kind as kind,
    status,
    left(reason, 200) as reason,
    count(*) as targets,
    (sum(count(*)) over (partition by dialect, evaluator, evaluator_kind))::bigint as n,
    round(count(*) / sum(count(*)) over (partition by dialect, evaluator, evaluator_kind), 4) as unscored_rate,
    arg_max(agent_trace_id, started_at) as newest_run,
    few((sum(count(*)) over (partition by dialect, evaluator, evaluator_kind))::bigint) as remark
from run_scores($since::timestamp, $until::timestamp, $agent, $version, $environment)
where $evaluator is null or evaluator = $evaluator
group by dialect, evaluator, evaluator_kind, status, left(reason, 200)
qualify status <> 'scored'
order by targets desc, instrumentation, evaluator, kind, reason;
