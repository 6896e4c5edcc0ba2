-- statement: all_runs_where
-- purpose:   the runs for which a condition holds that a user wrote
-- reads:     agent_traces
-- note:      the condition takes the place of `true`; the whole goes through the fence.
select agent_trace_id
from agent_traces
where
    (
        true
    );
