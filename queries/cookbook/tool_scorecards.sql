-- report:  tool_scorecards
-- purpose: How often does each tool fail, and is it at fault?
-- grain:   tool
-- reads:   selected_runs, run_calls, agent_traces, tool_calls, latest_scores, few
-- note:    a call failed by its status, or by its result according to tool_error. n_checked are calls that an evaluator
--          of the type tool_call_validity checked, n_failing all failing runs of the period.
with calls as (
    select *
    from run_calls($since::timestamp, $until::timestamp, $agent, $version, $environment)
),

used as (
    select
        tool,
        count(*) as n,
        count(*) filter (where failed) as errors,
        count(distinct agent_trace_id) as runs,
        quantile_cont(duration_ms, 0.5) as p50_ms,
        quantile_cont(duration_ms, 0.95) as p95_ms
    from calls
    group by tool
),

listed as (
    select
        scores.agent_trace_id,
        unnest(from_json(scores.details -> 'calls', '[{"position": "BIGINT", "status": "VARCHAR"}]')) as call
    from latest_scores as scores
    inner join agent_traces as runs on scores.agent_trace_id = runs.agent_trace_id
    where
        scores.evaluator_type = 'tool_call_validity'
        and scores.evaluator_kind = 'code'
        and scores.scope = 'trace'
        and scores.status = 'scored'
        and scores.target_time >= $since::timestamp - interval 1 day
        and runs.experiment_id is null
        and runs.started_at >= $since::timestamp
        and runs.started_at < $until::timestamp
        and ($agent is null or coalesce(runs.agent_name, runs.service_name) = $agent)
        and ($version is null or runs.agent_version = $version)
        and ($environment is null or runs.environment = $environment)
),

checked as (
    select
        calls.name as tool,
        count(*) as n_checked,
        count(*) filter (where (listed.call)['status'] = 'invalid') as invalid
    from listed
    inner join tool_calls as calls
        on listed.agent_trace_id = calls.agent_trace_id and (listed.call)['position'] = calls.position
    where
        (listed.call)['status'] in ('valid', 'invalid')
        and calls.child_agent_trace_id is null
        and not calls.is_foreign
    group by calls.name
),

faulty as (
    select
        fault_tool as tool,
        count(*) as first_faults
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where failing and fault_tool is not null
    group by fault_tool
),

failing_runs as (
    select count(*) as n_failing
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where failing
)

select
    tool,
    used.runs,
    coalesce(used.n, 0) as n,
    round(used.errors / used.n, 4) as error_rate,
    checked.n_checked,
    round(checked.invalid / nullif(checked.n_checked, 0), 4) as invalid_rate,
    failing_runs.n_failing,
    round(coalesce(faulty.first_faults, 0) / nullif(failing_runs.n_failing, 0), 4) as first_fault_rate,
    round(used.p50_ms, 1) as p50_ms,
    round(used.p95_ms, 1) as p95_ms,
    few(coalesce(used.n, 0)) as remark
from used
full join checked using (tool)
full join faulty using (tool)
cross join failing_runs
order by first_fault_rate desc nulls last, error_rate desc nulls last, n desc, tool;
