-- macro:   runs_with_scores
-- purpose: the runs of production, each with the active values of some evaluators on its present revision as the map
--          `scores`, for conditions that use them
-- grain:   agent_trace_id
-- reads:   agent_traces, active_values
create or replace macro runs_with_scores(names) as table
    select
        runs.*,
        coalesce(actives.scores, map([]::varchar[], []::double[])) as scores
    from agent_traces as runs
    left join active_values(names) as actives on hash(runs.agent_trace_id, runs.revision) = actives.revision_of_run
    where runs.experiment_id is null;
