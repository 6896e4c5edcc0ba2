-- statement: runs_to_preview
-- purpose:   the newest runs of an experiment, or of production where that is null, that began at $since or later and
--            for which a user's condition holds, and the number of such runs
-- reads:     agent_traces
-- splices:   condition
-- note:      the runs since that time are selected first, so that the condition cannot fail on others.
with began_since as materialized (
    select *
    from agent_traces
    where started_at >= $since::timestamp and experiment_id is not distinct from $experiment_id
)

select
    agent_trace_id,
    count(*) over () as matching
from began_since
where
    (
        ${condition}
    )
order by started_at desc, agent_trace_id
limit $limit;
