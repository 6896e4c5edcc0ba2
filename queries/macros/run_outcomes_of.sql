-- macro:   run_outcomes_of
-- purpose: the outcomes of some outermost runs of production, computed from errors, failed calls and scores: whether
--          the run failed, its worst score, its first fault and the pattern of that
-- grain:   agent_trace_id
-- reads:   agent_traces, tool_calls, latest_scores, outcome_of, failure_words, error_class,
--          error_pattern, pattern_id
-- note:    the only definition of the columns of agent_traces from outcome to invalid_tools. ids is a list of
--          agent_trace_ids of outermost runs; all runs and targets of their scores began between earliest and latest,
--          which limits what is read. External scores count for nothing. concat keeps DuckDB from comparing the ids of
--          all rows that it scans, before it compares their times.
--          A run does not wait any more once a later run of its session has begun.
--          The first fault of a failing run is the first call that failed and was not made good, by its status or by
--          the details of a failing score (tool_error and tool_call_validity list calls there); else the worst failing
--          score; else the error. What a failed call says comes from the call itself, not from explanations, which do
--          not change: so one cause is one pattern, also where an older version scored it.
create or replace macro run_outcomes_of(ids, earliest, latest) as table
    with runs as (
        select
            agent_trace_id,
            root_agent_trace_id as root_id,
            started_at,
            error,
            interrupt,
            session_id,
            completeness,
            failed_calls,
            llm_call_count <= 1 and list_contains(from_json(gaps, '["VARCHAR"]'), 'no_agent_span') as may_be_lone
        from agent_traces
        where
            concat(root_agent_trace_id) in (select unnest(ids))
            and started_at between earliest and latest
            and experiment_id is null
    ),

    active as (
        select
            runs.root_id,
            runs.started_at,
            scores.agent_trace_id,
            scores.target_id,
            scores.evaluator,
            scores.evaluator_type,
            scores.evaluator_kind,
            scores.author,
            scores.value,
            scores.passed,
            coalesce(scores.explanation, scores.label) as explanation,
            scores.details
        from latest_scores as scores
        inner join runs on concat(scores.agent_trace_id) = runs.agent_trace_id
        where
            scores.scope in ('trace', 'tool_call')
            and scores.status = 'scored'
            and scores.evaluator_kind <> 'external'
            and scores.target_time between earliest and latest
    ),

    scored as (
        select
            root_id,
            count(*) as score_count,
            count(*) filter (where not passed) as failing_score_count,
            arg_min(
                { 'evaluator': evaluator, 'value': value, 'explanation': explanation },
                (
                    coalesce(passed::int, 1),
                    coalesce(value, 1),
                    evaluator,
                    evaluator_kind,
                    author,
                    started_at,
                    target_id
                )
            ) as worst
        from active
        group by root_id
    ),

    scored_calls as (
        select
            root_id,
            agent_trace_id,
            started_at,
            passed,
            unnest(
                from_json(
                    details -> 'calls',
                    '[{"position": "BIGINT", "name": "VARCHAR", "status": "VARCHAR", "rule": "VARCHAR",
                    "error": "VARCHAR", "faults": ["VARCHAR"]}]'
                )
            ) as call
        from active
        where value < 1 and evaluator_kind = 'code' and evaluator_type in ('tool_error', 'tool_call_validity')
    ),

    called as (
        select
            root_id,
            agent_trace_id,
            started_at,
            unnest(
                from_json(failed_calls, '[{"position": "BIGINT", "name": "VARCHAR", "error": "VARCHAR"}]')
            ) as call
        from runs
        where failed_calls is not null
    ),

    faulty_calls as (
        select distinct
            agent_trace_id,
            (call)['position'] as call_position
        from scored_calls
        where not passed and (call)['status'] = 'error'
    ),

    said as (
        select
            calls.agent_trace_id,
            calls.position,
            failure_words(coalesce(calls.error, calls.result)) as words
        from (
            select *
            from tool_calls
            where started_at between earliest and latest
            union all
            select *
            from tool_calls
            where started_at is null
        ) as calls
        inner join faulty_calls
            on calls.agent_trace_id = faulty_calls.agent_trace_id and calls.position = faulty_calls.call_position
    ),

    failed_calls as (
        select
            root_id,
            agent_trace_id,
            started_at,
            (call)['position'] as call_position,
            (call)['name'] as tool,
            coalesce(failure_words((call)['error']), 'error') as fault_text,
            0 as rank
        from called
        where (agent_trace_id, (call)['position']) not in (
            select (agent_trace_id, (call)['position'])
            from scored_calls
            where (call)['status'] in ('recovered', 'failing_program') and (call)['position'] is not null
        )
        union all
        select
            scored_calls.root_id,
            scored_calls.agent_trace_id,
            scored_calls.started_at,
            (call)['position'] as call_position,
            (call)['name'] as tool,
            coalesce(
                nullif(array_to_string((call)['faults'], '; '), ''),
                case (call)['status'] when 'error' then said.words end,
                nullif(concat_ws(' ', (call)['error'], '(' || (call)['rule'] || ')'), ''),
                (call)['status']
            ) as fault_text,
            1 as rank
        from scored_calls
        left join said
            on
                scored_calls.agent_trace_id = said.agent_trace_id
                and (call)['position'] = said.position
        where not passed and (call)['status'] in ('error', 'invalid')
    ),

    first_calls as (
        select
            root_id,
            arg_min(
                {
                    'agent_trace_id': agent_trace_id,
                    'position': call_position,
                    'tool': tool,
                    'fault_text': fault_text
                },
                (started_at, agent_trace_id, call_position, rank, fault_text)
            ) as call
        from failed_calls
        group by root_id
    ),

    faulty_tools as (
        select
            root_id,
            to_json(list_sort(list(distinct tool) filter (where status <> 'invalid'))) as failed_tools,
            to_json(list_sort(list(distinct tool) filter (where status = 'invalid'))) as invalid_tools
        from (
            select
                root_id,
                (call)['name'] as tool,
                'error' as status
            from called
            union all
            select
                root_id,
                (call)['name'] as tool,
                (call)['status'] as status
            from scored_calls
            where (call)['status'] in ('error', 'recovered', 'invalid')
        ) as faulty
        group by root_id
    ),

    resumed as (
        select distinct runs.agent_trace_id
        from runs
        inner join agent_traces as later
            on runs.session_id = later.session_id and runs.started_at < later.started_at
        where
            runs.interrupt is not null
            and later.started_at >= earliest
            and later.parent_agent_trace_id is null
            and later.experiment_id is null
    ),

    with_tools as (
        select distinct calls.agent_trace_id
        from tool_calls as calls
        inner join runs on calls.agent_trace_id = runs.agent_trace_id
        where
            runs.may_be_lone
            and calls.started_at between earliest and latest
            and calls.status in ('ok', 'error')
    ),

    outcomes as (
        select
            runs.agent_trace_id,
            runs.started_at,
            coalesce(scored.score_count, 0) as score_count,
            coalesce(scored.failing_score_count, 0) as failing_score_count,
            scored.worst,
            faulty_tools.failed_tools,
            faulty_tools.invalid_tools,
            outcome_of(
                runs.error,
                scored.failing_score_count,
                scored.score_count,
                if(resumed.agent_trace_id is null, runs.interrupt, null),
                runs.completeness,
                runs.may_be_lone and with_tools.agent_trace_id is null
            ) as outcome,
            outcome in ('error', 'failing') as failing,
            case
                when not failing then null
                when first_calls.call is not null then 'call'
                when scored.failing_score_count > 0 then 'score'
                else 'error'
            end as fault,
            case fault when 'call' then first_calls.call end as call,
            case fault
                when 'call' then first_calls.call.fault_text
                when 'score' then coalesce(scored.worst.explanation, '')
                when 'error' then runs.error
            end as fault_text,
            case fault when 'score' then scored.worst.evaluator end as fault_evaluator
        from runs
        left join scored on runs.agent_trace_id = scored.root_id
        left join first_calls on runs.agent_trace_id = first_calls.root_id
        left join resumed on runs.agent_trace_id = resumed.agent_trace_id
        left join with_tools on runs.agent_trace_id = with_tools.agent_trace_id
        left join faulty_tools on runs.agent_trace_id = faulty_tools.root_id
        where runs.agent_trace_id = runs.root_id
    )

    select
        outcomes.agent_trace_id,
        outcomes.started_at,
        outcomes.outcome,
        outcomes.failing,
        outcomes.score_count,
        outcomes.failing_score_count,
        worst.evaluator as worst_evaluator,
        worst.value as worst_value,
        left(worst.explanation, 500) as worst_explanation,
        outcomes.fault,
        call.tool as fault_tool,
        call.agent_trace_id as fault_agent_trace_id,
        call.position as fault_position,
        outcomes.fault_evaluator,
        left(outcomes.fault_text, 500) as first_fault,
        error_class(outcomes.fault_text) as fault_class,
        error_pattern(outcomes.fault_text) as fault_pattern,
        case
            when outcomes.failing then pattern_id(fault_tool, outcomes.fault_evaluator, fault_class, fault_pattern)
        end as pattern_id,
        outcomes.failed_tools,
        outcomes.invalid_tools
    from outcomes;
