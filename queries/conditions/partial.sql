-- condition: partial
-- purpose:   runs of which a part is missing
-- reads:     runs
select agent_trace_id
from runs
where
    completeness = 'partial';
