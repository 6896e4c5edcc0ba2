-- macro:   selected_scores
-- purpose: the active scores of evaluators on runs of a period, an agent, a version and so on; null selects all, of
--          experiment_id_ those of production
-- grain:   as latest_scores
-- reads:   scores, agent_traces, tool_definitions
-- note:    a session counts if one of its runs is selected, and a tool if one offered it. The time is the start of the
--          target; a tool has none, so that the runs that offered it have to be of the period. ids is a list of ids of
--          traces, and of targets of sessions and tools, joined by chr(31).
create or replace macro selected_scores(
    since_, until_, agent_, service_, version_, environment_, ids, experiment_id_
) as table
    with chosen_runs as (
        select
            agent_trace_id,
            session_id,
            started_at
        from agent_traces
        where
            experiment_id is not distinct from experiment_id_
            and (agent_ is null or agent_name = agent_)
            and (service_ is null or service_name = service_)
            and (version_ is null or agent_version = version_)
            and (environment_ is null or environment = environment_)
    ),

    chosen_tools as (
        select 'tool:' || tool_definitions.definition_hash as target_id
        from tool_definitions
        join chosen_runs on tool_definitions.agent_trace_id = chosen_runs.agent_trace_id
        where
            (since_ is null or chosen_runs.started_at >= since_) and (until_ is null or chosen_runs.started_at < until_)
    )

    select scores.*
    from scores
    left join agent_traces as runs on scores.agent_trace_id = runs.agent_trace_id
    where
        scores.superseded_at is null
        and scores.experiment_id is not distinct from experiment_id_
        and scores.evaluator_kind not in ('human', 'external')
        and case
            when scores.agent_trace_id is not null
                then
                    (since_ is null or coalesce(scores.target_time, scores.scored_at) >= since_)
                    and (until_ is null or coalesce(scores.target_time, scores.scored_at) < until_)
                    and (agent_ is null or coalesce(runs.agent_name, scores.agent_name) = agent_)
                    and (service_ is null or runs.service_name = service_)
                    and (version_ is null or runs.agent_version = version_)
                    and (environment_ is null or runs.environment = environment_)
                    and (ids is null or scores.trace_id in (select unnest(string_split(ids, chr(31)))))
            when scores.scope = 'session'
                then
                    (since_ is null or coalesce(scores.target_time, scores.scored_at) >= since_)
                    and (until_ is null or coalesce(scores.target_time, scores.scored_at) < until_)
                    and (
                        coalesce(agent_, service_, version_, environment_) is null
                        or scores.session_id in (
                            select session_id from chosen_runs
                            where session_id is not null
                        )
                    )
                    and (ids is null or scores.target_id in (select unnest(string_split(ids, chr(31)))))
            else
                (
                    (coalesce(agent_, service_, version_, environment_) is null and since_ is null and until_ is null)
                    or scores.target_id in (select target_id from chosen_tools)
                )
                and (ids is null or scores.target_id in (select unnest(string_split(ids, chr(31)))))
        end;
