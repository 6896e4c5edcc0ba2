-- macro:   selected_runs
-- purpose: the runs of a period, an agent, a version and so on; null selects all
-- grain:   as runs
-- reads:   runs
create or replace macro selected_runs(since_, until_, agent_, version_, environment_) as table
    select *
    from runs
    where
        (since_ is null or started_at >= since_)
        and (until_ is null or started_at < until_)
        and (agent_ is null or coalesce(agent_name, service_name) = agent_)
        and (version_ is null or agent_version = version_)
        and (environment_ is null or environment = environment_);
