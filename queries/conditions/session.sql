-- condition: session
-- purpose:   the session
-- reads:     runs
select agent_trace_id
from runs
where
    session_id = $text;
