-- statement: runs_where
-- purpose:   those of some runs for which a condition holds that a user wrote
-- reads:     agent_traces
-- note:      the condition takes the place of `true`; the whole goes through the fence. The runs are set apart first,
--            or the condition would be tried on others, too, and fail on them, or tell of them.
with asked_about as materialized (
    select *
    from agent_traces
    where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
)

select agent_trace_id
from asked_about
where
    (
        true
    );
