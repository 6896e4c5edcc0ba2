-- statement: insert_scores
-- purpose:   keeps the arriving scores, each once
-- reads:     scores, agent_traces, offered_tools
-- note:      a run may have turned out to be none while it was judged, a session to have no turn, and a tool to be
--            offered by nobody: the score is never active then.
insert into scores by name
select new_scores.* replace (if(new_scores.superseded_at is null, null, 'target_gone') as superseded_reason)
from (
    select
        arriving.* replace (
            $pass_id as pass_id,
            case
                when
                    arriving.agent_trace_id is not null
                    and arriving.agent_trace_id not in (select agent_trace_id from agent_traces)
                    then $now
                when
                    arriving.scope = 'session'
                    and arriving.session_id not in (
                        select session_id
                        from agent_traces
                        where session_id is not null and parent_agent_trace_id is null
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
        from scores as kept
        where kept.target_time is not distinct from arriving.target_time and kept.score_id = arriving.score_id
    )
) as new_scores;
