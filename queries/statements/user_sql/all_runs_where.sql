-- statement: all_runs_where
-- purpose:   all runs of production for which a user's condition holds
-- reads:     agent_traces
-- splices:   condition
select agent_trace_id
from agent_traces
where
    experiment_id is null
    and (
        ${condition}
    );
