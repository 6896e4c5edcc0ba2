-- report:  pending
-- purpose: how many of some traces have arrived and are not assembled, and how many of their runs and tools wait for a
--          score of evaluators that are not paused
-- grain:   one row
-- reads:   spans, assembly_progress, waiting_traces, agent_traces, tool_definitions, offered_tools, evaluator_cursors,
--          paused_evaluators
-- note:    assembly_progress does not advance while any trace is open, so it is only used for traces without a run
--          assembled since their arrival. Of an evaluator's cursors, those of earlier settings do not advance either.
select
    (
        select count(*)
        from (
            select
                trace_id,
                max(ingested_at) as arrived_at
            from spans
            where
                trace_id in (select unnest($trace_ids::varchar[]))
                and (
                    batch_seq > (select batch_seq from assembly_progress)
                    or trace_id in (select trace_id from waiting_traces)
                )
            group by trace_id
        ) as arrived
        where not exists (
            select 1
            from agent_traces as runs
            where runs.trace_id = arrived.trace_id and runs.assembled_at >= arrived.arrived_at
        )
    ) as traces,
    (
        select count(*)
        from agent_traces
        where
            experiment_id is null
            and trace_id in (select unnest($trace_ids::varchar[]))
            and assembled_seq > (
                select min(seq)
                from (
                    select max(seq) as seq
                    from evaluator_cursors
                    where
                        list_contains($evaluators::varchar[], evaluator)
                        and evaluator not in (select evaluator from paused_evaluators)
                    group by evaluator
                ) as cursors
            )
    ) as runs,
    (
        select count(distinct tools.definition_hash)
        from tool_definitions
        inner join offered_tools as tools using (definition_hash)
        where
            tool_definitions.trace_id in (select unnest($trace_ids::varchar[]))
            and tools.seq > (
                select min(seq)
                from (
                    select max(seq) as seq
                    from evaluator_cursors
                    where
                        list_contains($tool_evaluators::varchar[], evaluator)
                        and evaluator not in (select evaluator from paused_evaluators)
                    group by evaluator
                ) as cursors
            )
    ) as tools;
