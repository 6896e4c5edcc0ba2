-- statement: kind_of_condition
-- purpose:   what a condition that a user wrote comes to: it has to be a boolean
-- reads:     agent_traces
-- note:      the condition takes the place of `true`; the whole goes through the fence
select
    (
        true
    ) as condition
from agent_traces
where false;
