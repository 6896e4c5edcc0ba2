-- statement: runs_where
-- purpose:   those of some runs for which a condition holds that a user wrote
-- reads:     agent_traces
-- note:      the condition takes the place of the second `true`; the whole goes through the fence.
select agent_trace_id
from agent_traces
where
    agent_trace_id in (select unnest(string_split($agent_trace_ids, ',')))
    and (
        true
    );
