-- condition: user
-- purpose:   the user
-- reads:     runs
select agent_trace_id
from runs
where
    user_id = $text;
