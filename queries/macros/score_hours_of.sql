-- macro:   score_hours_of
-- purpose: the active scores on the outermost runs of production that began from `since_` until `until_`, on their
--          calls and sub-agents, counted by the hour in which the outermost run began; without external scores
-- grain:   hour, agent_name, agent_version, environment, service_name, evaluator, evaluator_kind
-- reads:   latest_scores, runs_in_trees_of, as_integer
-- note:    the only definition of score_hours. Sub-agents and targets of the scores began between `earliest` and
--          `latest`, which limits what is read: reach_of_runs. Values are cut off at a billion, costs at a million
--          dollars.
create or replace macro score_hours_of(since_, until_, earliest, latest) as table
    with active as materialized (
        select
            agent_trace_id,
            evaluator,
            evaluator_kind,
            status,
            passed,
            value,
            cost_usd
        from latest_scores
        where
            target_time >= earliest
            and target_time <= latest
            and scope in ('trace', 'tool_call')
            and evaluator_kind <> 'external'
    )

    select
        runs.hour,
        runs.agent_name,
        runs.agent_version,
        runs.environment,
        runs.service_name,
        active.evaluator,
        active.evaluator_kind,
        count(*) filter (where active.status = 'scored') as scored,
        count(*) filter (where active.passed) as passed,
        count(*) filter (where not active.passed) as failed,
        count(distinct runs.root_agent_trace_id) filter (where not active.passed) as failed_runs,
        count(*) filter (where active.status = 'skipped') as skipped,
        count(*) filter (where active.status = 'error') as errors,
        count(active.value) as valued,
        sum(as_integer(active.value, 1e9, 1e9)) as value_nano,
        count(active.cost_usd) as priced,
        sum(as_integer(active.cost_usd, 1e9, 1e6)) as cost_nanousd
    from active
    inner join runs_in_trees_of(since_, until_, earliest, latest) as runs
        on active.agent_trace_id = runs.agent_trace_id
    group by all;
