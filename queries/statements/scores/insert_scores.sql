-- statement: insert_scores
-- purpose:   stores the arriving scores, each once
-- reads:     scores, agent_traces, offered_tools
-- note:      arriving_scores is registered by the writer. A run may have vanished while it was evaluated, a session may
--            have lost its turns, and a tool may no longer be offered: the score is superseded at once. One of
--            an experiment is not: its run may still be assembled.
insert into scores by name
select new_scores.* replace (if(new_scores.superseded_at is null, null, 'target_gone') as superseded_reason)
from (
    select
        arriving.* replace (
            $pass_id as pass_id,
            case
                when arriving.experiment_id is not null then null
                when
                    arriving.agent_trace_id is not null
                    and arriving.agent_trace_id not in (select agent_trace_id from agent_traces)
                    then $now
                when
                    arriving.scope = 'session'
                    and arriving.session_id not in (
                        select session_id
                        from agent_traces
                        where session_id is not null and parent_agent_trace_id is null and experiment_id is null
                    )
                    then $now
                when
                    arriving.scope = 'tool'
                    and arriving.target_id not in (select 'tool:' || definition_hash from offered_tools)
                    then $now
            end as superseded_at
        )
    from arriving_scores as arriving
    where not exists (
        select 1
        from scores as stored
        where stored.target_time is not distinct from arriving.target_time and stored.score_id = arriving.score_id
    )
) as new_scores;
