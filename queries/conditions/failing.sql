-- condition: failing
-- purpose:   runs that ended in an error, or of which a score failed
-- reads:     runs
select agent_trace_id
from runs
where
    failing;
