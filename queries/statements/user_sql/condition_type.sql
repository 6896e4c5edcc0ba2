-- statement: condition_type
-- purpose:   the type of a user's condition, which has to be BOOLEAN
-- reads:     agent_traces
-- splices:   condition
select
    (
        ${condition}
    ) as condition
from agent_traces
where false;
