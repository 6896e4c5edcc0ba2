-- report:  not_recorded
-- purpose: What do the instrumentations not record?
-- grain:   instrumentation, service, gap
-- reads:   selected_runs, few
-- note:    n are all runs of the service with this instrumentation. `tracegrade doctor TRACE` names the setting that
--          records it.
with chosen as (
    select
        dialect as instrumentation,
        service_name as service,
        agent_trace_id,
        started_at,
        from_json(gaps, '["VARCHAR"]') as gaps
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
),

totals as (
    select
        instrumentation,
        service,
        count(*) as n
    from chosen
    group by all
)

select
    missing.instrumentation,
    missing.service,
    missing.gap,
    count(*) as runs,
    any_value(totals.n) as n,
    round(count(*) / any_value(totals.n), 4) as gap_rate,
    arg_max(missing.agent_trace_id, missing.started_at) as newest_run,
    few(any_value(totals.n)) as remark
from (
    select
        *,
        unnest(gaps) as gap
    from chosen
) as missing
inner join totals
    on
        missing.instrumentation is not distinct from totals.instrumentation
        and missing.service is not distinct from totals.service
group by missing.instrumentation, missing.service, missing.gap
order by runs desc, missing.instrumentation, missing.service, missing.gap;
