-- macro:   run_calls
-- purpose: the executed tool calls in runs of a period and in their sub-agents, each once, with what a report groups
--          by; null selects all
-- grain:   call_agent_trace_id, position
-- reads:   agent_traces, tool_calls, latest_scores
-- note:    agent_trace_id is the outermost run, call_agent_trace_id the one that made the call; agent and so on are
--          those of the latter. failed: by the status of the call, or by its result according to an evaluator of the
--          type tool_error, even if a later call made it good. The period is that of the start of the run. Calls of
--          other services are left out.
create or replace macro run_calls(since_, until_, agent_, version_, environment_) as table
    with listed as (
        select
            agent_trace_id,
            unnest(from_json(details -> 'calls', '[{"position": "BIGINT", "status": "VARCHAR"}]')) as call
        from latest_scores
        where
            evaluator_type = 'tool_error'
            and evaluator_kind = 'code'
            and scope = 'trace'
            and value < 1
            and (since_ is null or target_time >= since_::timestamp - interval 1 day)
            and (until_ is null or target_time < until_::timestamp + interval 1 day)
    ),

    reported as (
        select distinct
            agent_trace_id,
            (call)['position'] as position
        from listed
        where (call)['status'] in ('error', 'recovered')
    )

    select
        runs.root_agent_trace_id as agent_trace_id,
        calls.agent_trace_id as call_agent_trace_id,
        calls.position,
        calls.name as tool,
        runs.started_at,
        calls.duration_ms,
        coalesce(calls.status, '') = 'error' or reported.position is not null as failed,
        coalesce(runs.agent_name, runs.service_name) as agent,
        runs.agent_version,
        runs.environment
    from tool_calls as calls
    inner join agent_traces as runs on calls.agent_trace_id = runs.agent_trace_id
    left join reported
        on calls.agent_trace_id = reported.agent_trace_id and calls.position = reported.position
    where
        calls.child_agent_trace_id is null
        and not calls.is_foreign
        and calls.status <> 'not_executed'
        and runs.experiment_id is null
        and (since_ is null or runs.started_at >= since_)
        and (until_ is null or runs.started_at < until_)
        and (agent_ is null or coalesce(runs.agent_name, runs.service_name) = agent_)
        and (version_ is null or runs.agent_version = version_)
        and (environment_ is null or runs.environment = environment_);
