-- macro:   sessions_of
-- purpose: some sessions, or all of them for null: what the view sessions shows, faster. earliest and latest are the
--          first and the last start of a run in them
-- grain:   session_id, service_name
-- reads:   agent_traces, llm_calls
-- note:    calls, tokens and costs are the totals of the turns, which include sub-agents whatever their session, so
--          that rows with turns count each once. A session that only sub-agents have is a row without turns: it has
--          the totals of those whose parent is not in the session, and the row of the turn includes them. All joins
--          are on equal columns: others would compare each run with each.
create or replace macro sessions_of(ids, earliest, latest) as table
    with session_runs as not materialized (
        select *
        from agent_traces
        where
            session_id is not null
            and experiment_id is null
            and (ids is null or list_contains(ids, session_id))
            and (earliest is null or started_at >= earliest)
            and (latest is null or started_at <= latest)
    ),

    turns as (
        select
            session_id,
            service_name,
            count(*) as turns
        from session_runs
        where parent_agent_trace_id is null
        group by session_id, service_name
    ),

    members as (
        select
            runs.*,
            runs.parent_agent_trace_id is null as is_turn,
            runs.parent_agent_trace_id is null or (turns.turns is null and parents.agent_trace_id is null) as is_counted
        from session_runs as runs
        left join turns
            on runs.session_id = turns.session_id and runs.service_name is not distinct from turns.service_name
        left join session_runs as parents
            on
                runs.parent_agent_trace_id = parents.agent_trace_id
                and runs.session_id = parents.session_id
                and runs.service_name is not distinct from parents.service_name
    ),

    failed_model_calls as (
        select
            agent_trace_id,
            count(*) as failures
        from llm_calls
        where error is not null
        group by agent_trace_id
    )

    select
        members.session_id,
        members.service_name,
        list_sort(list_distinct(list(members.agent_name))) as agent_names,
        count(*) filter (where members.is_turn) as turns,
        min(members.started_at) as started_at,
        max(members.ended_at) as ended_at,
        sum(coalesce(members.total_tool_call_count, members.tool_call_count)) filter (where members.is_counted)::bigint
            as tool_call_count,
        sum(
            coalesce(json_array_length(members.failed_calls), 0) + coalesce(failed_model_calls.failures, 0)
        )::bigint as error_count,
        sum(
            coalesce(members.total_input_tokens, members.input_tokens, 0)
            + coalesce(members.total_output_tokens, members.output_tokens, 0)
        ) filter (
            where
            members.is_counted
            and coalesce(
                members.total_input_tokens, members.input_tokens, members.total_output_tokens, members.output_tokens
            ) is not null
        )::bigint as tokens,
        sum(coalesce(members.total_cost_usd, members.cost_usd)) filter (where members.is_counted) as cost_usd,
        arg_min(members.user_id, members.started_at) as user_id,
        arg_max(members.agent_version, members.started_at) filter (where members.is_turn) as agent_version,
        arg_max(members.environment, members.started_at) filter (where members.is_turn) as environment,
        arg_min(members.input, members.started_at) filter (where members.is_turn) as first_input,
        arg_max(members.final_response, members.started_at) filter (where members.is_turn) as last_response,
        sum(members.duration_ms) filter (where members.is_turn) as busy_ms,
        count(*) filter (where members.failing) as failing_turns,
        count(*) filter (where members.score_count > 0) as scored_turns,
        arg_min(members.agent_trace_id, members.started_at) filter (where members.failing) as first_failing_run,
        arg_min(members.first_fault, members.started_at) filter (where members.failing) as first_fault
    from members
    left join failed_model_calls on members.agent_trace_id = failed_model_calls.agent_trace_id
    group by members.session_id, members.service_name;
