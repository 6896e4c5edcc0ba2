-- macro:   score_hours_of
-- purpose: the active scores on the outermost runs of production that began from `since_` until `until_`, on their
--          calls and sub-agents, counted by the hour in which the outermost run began; without external scores
-- grain:   hour, agent_name, agent_version, environment, service_name, evaluator, evaluator_kind
-- reads:   latest_scores, runs_in_trees_of, as_integer
-- note:    the only definition of score_hours. Sub-agents and targets of the scores began between `earliest` and
--          `latest`, which limits what is read: reach_of_runs. Values are cut off at a billion, costs at a million
--          dollars.
create or replace macro score_hours_of(since_, until_, earliest, latest) as table
    select
        runs.hour,
        runs.agent_name,
        runs.agent_version,
        runs.environment,
        runs.service_name,
        scores.evaluator,
        scores.evaluator_kind,
        count(*) filter (where scores.status = 'scored') as scored,
        count(*) filter (where scores.passed) as passed,
        count(*) filter (where not scores.passed) as failed,
        count(*) filter (where scores.status = 'skipped') as skipped,
        count(*) filter (where scores.status = 'error') as errors,
        count(scores.value) as valued,
        sum(as_integer(scores.value, 1e9, 1e9)) as value_nano,
        count(scores.cost_usd) as priced,
        sum(as_integer(scores.cost_usd, 1e9, 1e6)) as cost_nanousd
    from latest_scores as scores
    inner join runs_in_trees_of(since_, until_, earliest, latest) as runs
        on concat(scores.agent_trace_id) = runs.agent_trace_id
    where
        scores.target_time >= earliest
        and scores.target_time <= latest
        and scores.scope in ('trace', 'tool_call')
        and scores.evaluator_kind <> 'external'
    group by all;
