-- statement: runs_to_preview
-- purpose:   the newest runs that began since a time and for which a condition holds that a user wrote, and how many
--            such runs there are
-- reads:     agent_traces
-- note:      the condition takes the place of `true`; the whole goes through the fence. The runs since that time are
--            set apart first, so that the condition cannot fail on others.
with began_since as materialized (
    select *
    from agent_traces
    where started_at >= $since::timestamp
)

select
    agent_trace_id,
    count(*) over () as matching
from began_since
where
    (
        true
    )
order by started_at desc, agent_trace_id
limit $limit;
