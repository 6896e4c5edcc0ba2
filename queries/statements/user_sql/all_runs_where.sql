-- statement: all_runs_where
-- purpose:   all runs for which a user's condition holds
-- reads:     agent_traces
-- splices:   condition
select agent_trace_id
from agent_traces
where
    (
        ${condition}
    );
