-- statement: insert_scores
-- purpose:   keeps the arriving verdicts, each once
-- reads:     scores, agent_traces
-- note:      a run may have turned out to be none while it was judged: the verdict on it is never in force.
insert into scores by name
select
    arriving.* replace (
        $pass_id as pass_id,
        case
            when
                arriving.agent_trace_id is not null
                and arriving.agent_trace_id not in (select agent_trace_id from agent_traces)
                then $now
        end as superseded_at
    )
from arriving_scores as arriving
where not exists (
    select 1
    from scores as kept
    where kept.target_time is not distinct from arriving.target_time and kept.score_id = arriving.score_id
);
