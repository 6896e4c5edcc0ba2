-- statement: linked_groups
-- purpose:   some runs and the runs that they are linked with, as they are linked now
-- reads:     linked_runs
with own_groups as (
    select group_id
    from linked_runs
    where
        started_at between $earliest and $latest
        and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
)

select
    agent_trace_id,
    started_at,
    group_id,
    session_id,
    recorded_session_id
from linked_runs
where group_id in (select group_id from own_groups);
