-- macro:   runs_in_trees_of
-- purpose: the outermost runs of production that began from `since_` until `until_`, and all of their sub-agents, each
--          with the hour, agent, version and so on of the outermost run
-- grain:   agent_trace_id
-- reads:   agent_traces
-- note:    all of the sub-agents began between `earliest` and `latest`, which limits what is read: reach_of_runs.
create or replace macro runs_in_trees_of(since_, until_, earliest, latest) as table
    with outermost as (
        select
            agent_trace_id,
            date_trunc('hour', started_at) as hour,
            coalesce(agent_name, '') as agent_name,
            coalesce(agent_version, '') as agent_version,
            coalesce(environment, '') as environment,
            coalesce(service_name, '') as service_name
        from agent_traces
        where
            started_at >= since_
            and started_at < until_
            and parent_agent_trace_id is null
            and experiment_id is null
    )

    select * from outermost
    union all
    select outermost.* replace (inner_runs.agent_trace_id as agent_trace_id)
    from agent_traces as inner_runs
    inner join outermost on concat(inner_runs.root_agent_trace_id) = outermost.agent_trace_id
    where
        inner_runs.started_at >= earliest
        and inner_runs.started_at <= latest
        and inner_runs.parent_agent_trace_id is not null;
