-- macro:   values_said
-- purpose: of each revision of a run the values that some evaluators gave it and that are active, as a map from their
--          names; of scores on its calls the least
-- reads:   scores
-- note:    revision_of_run is hash(agent_trace_id, revision): strings cost five times as much. An evaluator that
--          changed its kind has an active score of either; the newer one counts. For a few runs the statement
--          runs_where_after tells the same.
create or replace macro values_said(names) as table
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
                and list_contains(names, evaluator)
                and evaluator_kind not in ('human', 'external')
                and agent_trace_id is not null
            group by revision_of_run, evaluator, evaluator_kind
        ) as value_by_kind
        group by revision_of_run, evaluator
    ) as value_of_each
    group by revision_of_run;
