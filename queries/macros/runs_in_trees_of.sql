-- macro:   runs_in_trees_of
-- purpose: the outermost runs of production that began from `since_` until `until_`, and all of their sub-agents, each
--          with the hour, agent, version and so on of the outermost run
-- grain:   agent_trace_id
-- reads:   agent_traces
-- note:    all of the runs began between `earliest` and `latest`, which limits what is read: reach_of_runs.
--          Materialized, so that DuckDB compares times before it joins, also where they are results of a subquery.
create or replace macro runs_in_trees_of(since_, until_, earliest, latest) as table
    with begun as materialized (
        select
            agent_trace_id,
            root_agent_trace_id,
            started_at,
            agent_name,
            agent_version,
            environment,
            service_name
        from agent_traces
        where
            started_at >= earliest
            and started_at <= latest
            and experiment_id is null
    )

    select
        runs.agent_trace_id,
        runs.root_agent_trace_id,
        date_trunc('hour', outermost.started_at) as hour,
        coalesce(outermost.agent_name, '') as agent_name,
        coalesce(outermost.agent_version, '') as agent_version,
        coalesce(outermost.environment, '') as environment,
        coalesce(outermost.service_name, '') as service_name
    from begun as runs
    inner join begun as outermost on runs.root_agent_trace_id = outermost.agent_trace_id
    where
        outermost.started_at >= since_
        and outermost.started_at < until_
        and outermost.root_agent_trace_id = outermost.agent_trace_id;
