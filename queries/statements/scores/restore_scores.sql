-- statement: restore_scores
-- purpose:   makes superseded scores active again that an evaluator has given once more: the evaluator or a reference
--            is as it was before
-- reads:     scores, agent_traces, offered_tools
-- note:      arriving_scores is registered by the writer. Its range of target_time limits what is read, except for
--            sessions and tools. A run that has vanished, a session without turns and a tool that no run offers stay
--            without an active score.
update scores
set superseded_at = null, superseded_reason = null
where
    superseded_at is not null
    and experiment_id is null
    and (
        scope in ('session', 'tool')
        or (
            target_time >= (select min(target_time) from arriving_scores)
            and target_time <= (select max(target_time) from arriving_scores)
        )
    )
    and exists (
        select 1
        from arriving_scores as arriving
        where
            arriving.score_id = scores.score_id
            and arriving.target_time is not distinct from scores.target_time
            and (
                arriving.agent_trace_id is null
                or arriving.agent_trace_id in (select agent_trace_id from agent_traces)
            )
            and (
                arriving.scope <> 'session'
                or arriving.session_id in (
                    select session_id
                    from agent_traces
                    where parent_agent_trace_id is null and experiment_id is null
                )
            )
            and (
                arriving.scope <> 'tool'
                or arriving.target_id in (select 'tool:' || definition_hash from offered_tools)
            )
    );
