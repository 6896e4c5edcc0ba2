-- macro:   tool_hours_of
-- purpose: the tool calls of the outermost runs of production that began from `since_` until `until_` and of their
--          sub-agents, counted by the hour in which the outermost run began
-- grain:   hour, agent_name, agent_version, environment, service_name, tool
-- reads:   agent_traces, tool_calls, runs_in_trees_of, as_integer
-- note:    the only definition of tool_hours. Sub-agents and calls began between `earliest` and `latest`, which limits
--          what is read: reach_of_runs; calls without a time are read everywhere. Each call counts once. Durations are
--          cut off at 31 years.
create or replace macro tool_hours_of(since_, until_, earliest, latest) as table
    with made as materialized (
        select
            agent_trace_id,
            name,
            status,
            duration_ms
        from tool_calls
        where
            started_at >= earliest
            and started_at <= latest
            and child_agent_trace_id is null
            and not is_foreign
        union all
        select
            agent_trace_id,
            name,
            status,
            duration_ms
        from tool_calls
        where started_at is null and child_agent_trace_id is null and not is_foreign
    ),

    called as (
        select
            runs.* exclude (agent_trace_id, root_agent_trace_id),
            made.name as tool,
            count(*) filter (where made.status <> 'not_executed') as calls,
            count(*) filter (where made.status = 'error') as errors,
            count(made.duration_ms) as timed_calls,
            sum(as_integer(made.duration_ms, 1, 1e12)) as duration_ms
        from made
        inner join runs_in_trees_of(since_, until_, earliest, latest) as runs
            on made.agent_trace_id = runs.agent_trace_id
        group by all
    ),

    faulty as (
        select
            date_trunc('hour', started_at) as hour,
            coalesce(agent_name, '') as agent_name,
            coalesce(agent_version, '') as agent_version,
            coalesce(environment, '') as environment,
            coalesce(service_name, '') as service_name,
            fault_tool,
            failed_tools,
            invalid_tools
        from agent_traces
        where
            started_at >= since_
            and started_at < until_
            and parent_agent_trace_id is null
            and experiment_id is null
            and (fault_tool is not null or failed_tools is not null or invalid_tools is not null)
    ),

    first as (
        select
            * exclude (fault_tool, failed_tools, invalid_tools),
            fault_tool as tool,
            count(*) as first_faults
        from faulty
        where fault_tool is not null
        group by all
    ),

    failed as (
        select
            * exclude (fault_tool, failed_tools, invalid_tools),
            unnest(from_json(failed_tools, '["VARCHAR"]')) as tool
        from faulty
        where failed_tools is not null
    ),

    invalid as (
        select
            * exclude (fault_tool, failed_tools, invalid_tools),
            unnest(from_json(invalid_tools, '["VARCHAR"]')) as tool
        from faulty
        where invalid_tools is not null
    )

    select
        hour,
        agent_name,
        agent_version,
        environment,
        service_name,
        tool,
        coalesce(sum(calls), 0)::bigint as calls,
        coalesce(sum(errors), 0)::bigint as errors,
        coalesce(sum(failed_runs), 0)::bigint as failed_runs,
        coalesce(sum(invalid_runs), 0)::bigint as invalid_runs,
        coalesce(sum(first_faults), 0)::bigint as first_faults,
        coalesce(sum(timed_calls), 0)::bigint as timed_calls,
        sum(duration_ms) as duration_ms
    from (
        select * from called
        union all by name
        select * from first
        union all by name
        select
            *,
            1 as failed_runs
        from failed
        union all by name
        select
            *,
            1 as invalid_runs
        from invalid
    ) as counted
    where tool is not null
    group by hour, agent_name, agent_version, environment, service_name, tool;
