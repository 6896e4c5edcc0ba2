-- condition: blocked
-- purpose:   runs in which a guardrail denied something
-- reads:     runs
select agent_trace_id
from runs
where
    blocked_by is not null;
