-- macro:   active_values
-- purpose: the active values of some evaluators on each revision of a run, as a map from their names; of scores on its
--          calls the lowest
-- grain:   revision_of_run
-- reads:   scores
-- note:    revision_of_run is hash(agent_trace_id, revision): strings cost five times as much. An evaluator whose kind
--          changed has an active score of each kind; the newer one counts. For a few runs the statement
--          runs_where_after computes the same.
create or replace macro active_values(names) as table
    select
        revision_of_run,
        map_from_entries(list((evaluator, value))) as scores
    from (
        select
            revision_of_run,
            evaluator,
            arg_max_null(value, scored_at) as value
        from (
            select
                hash(agent_trace_id, revision) as revision_of_run,
                evaluator,
                min(value) as value,
                max(scored_at) as scored_at
            from scores
            where
                superseded_at is null
                and experiment_id is null
                and list_contains(names, evaluator)
                and evaluator_kind not in ('human', 'external')
                and agent_trace_id is not null
            group by revision_of_run, evaluator, evaluator_kind
        ) as value_by_kind
        group by revision_of_run, evaluator
    ) as value_by_evaluator
    group by revision_of_run;
