-- view:    tools
-- purpose: the use of each tool in production by day and version of the agent: calls, failures, invalid calls,
--          duration, and in how many failing runs it was the first fault
-- grain:   day, tool, agent_name, agent_version, environment
-- reads:   agent_traces, tool_calls, latest_scores
-- note:    each call counts once, in the run that made it; day (UTC), agent and environment are those of that run.
--          Calls that were never executed count only as checked, invalid and first_faults. Of several evaluators of the
--          type tool_call_validity each counts its checks.
create or replace view tools as
with used as (
    select
        runs.started_at::date as day,
        calls.name as tool,
        runs.agent_name,
        runs.agent_version,
        runs.environment,
        count(*) filter (where calls.status <> 'not_executed') as calls,
        count(*) filter (where calls.status = 'error') as errors,
        count(distinct runs.root_agent_trace_id) as runs,
        quantile_cont(calls.duration_ms, [0.5, 0.95]) as duration_ms,
        count(calls.duration_ms) as timed_calls
    from tool_calls as calls
    inner join agent_traces as runs on calls.agent_trace_id = runs.agent_trace_id
    where calls.child_agent_trace_id is null and not calls.is_foreign and runs.experiment_id is null
    group by all
),

listed as (
    select
        agent_trace_id,
        unnest(from_json(details -> 'calls', '[{"position": "BIGINT", "status": "VARCHAR"}]')) as call
    from latest_scores
    where evaluator_type = 'tool_call_validity' and evaluator_kind = 'code' and scope = 'trace' and status = 'scored'
),

checked as (
    select
        runs.started_at::date as day,
        calls.name as tool,
        runs.agent_name,
        runs.agent_version,
        runs.environment,
        count(*) as checked_calls,
        count(*) filter (where (listed.call)['status'] = 'invalid') as invalid_calls
    from listed
    inner join tool_calls as calls
        on listed.agent_trace_id = calls.agent_trace_id and (listed.call)['position'] = calls.position
    inner join agent_traces as runs on listed.agent_trace_id = runs.agent_trace_id
    where
        (listed.call)['status'] in ('valid', 'invalid')
        and calls.child_agent_trace_id is null
        and not calls.is_foreign
        and runs.experiment_id is null
    group by all
),

faulty as (
    select
        runs.started_at::date as day,
        failing.fault_tool as tool,
        runs.agent_name,
        runs.agent_version,
        runs.environment,
        count(*) as first_faults
    from agent_traces as failing
    left join tool_calls as calls
        on failing.fault_agent_trace_id = calls.agent_trace_id and failing.fault_position = calls.position
    inner join agent_traces as runs
        on coalesce(calls.child_agent_trace_id, failing.fault_agent_trace_id) = runs.agent_trace_id
    where failing.fault_tool is not null and failing.experiment_id is null
    group by all
)

select
    day,
    tool,
    agent_name,
    agent_version,
    environment,
    coalesce(sum(calls), 0)::bigint as calls,
    coalesce(sum(errors), 0)::bigint as errors,
    coalesce(sum(runs), 0)::bigint as runs,
    coalesce(sum(checked_calls), 0)::bigint as checked_calls,
    coalesce(sum(invalid_calls), 0)::bigint as invalid_calls,
    coalesce(sum(first_faults), 0)::bigint as first_faults,
    any_value(duration_ms)[1] as p50_ms,
    any_value(duration_ms)[2] as p95_ms,
    coalesce(sum(timed_calls), 0)::bigint as timed_calls
from (
    select * from used
    union all by name
    select * from checked
    union all by name
    select * from faulty
) as counted
group by day, tool, agent_name, agent_version, environment;
