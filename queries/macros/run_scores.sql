-- macro:   run_scores
-- purpose: the active scores on runs of a period, their calls and their sub-agents, without external ones, each with
--          what a report groups by; null selects all
-- grain:   target_id, evaluator, evaluator_kind, author
-- reads:   latest_scores, agent_traces
-- note:    agent_trace_id is the outermost run. The period is that of the start of the run; its calls begin within a
--          day of it.
create or replace macro run_scores(since_, until_, agent_, version_, environment_) as table
    select
        scores.evaluator,
        scores.evaluator_kind,
        scores.status,
        scores.value,
        scores.passed,
        scores.reason,
        scores.explanation,
        scores.cost_usd,
        scores.scored_at,
        scores.target_id,
        scores.author,
        runs.root_agent_trace_id as agent_trace_id,
        runs.started_at,
        runs.agent_name,
        runs.agent_version,
        runs.environment,
        runs.service_name,
        runs.model,
        runs.dialect
    from latest_scores as scores
    inner join agent_traces as runs on scores.agent_trace_id = runs.agent_trace_id
    where
        scores.scope in ('trace', 'tool_call')
        and scores.evaluator_kind <> 'external'
        and runs.experiment_id is null
        and (since_ is null or (runs.started_at >= since_ and scores.target_time >= since_::timestamp - interval 1 day))
        and (until_ is null or (runs.started_at < until_ and scores.target_time < until_::timestamp + interval 1 day))
        and (agent_ is null or coalesce(runs.agent_name, runs.service_name) = agent_)
        and (version_ is null or runs.agent_version = version_)
        and (environment_ is null or runs.environment = environment_);
