-- condition: any_run
-- purpose:   all runs
-- reads:     runs
select agent_trace_id
from runs
where
    true;
