-- report:  period_of_sessions
-- purpose: the first and the last start of a run in some sessions
-- grain:   one row
-- reads:   agent_traces
select
    min(started_at) as earliest,
    max(started_at) as latest
from agent_traces
where list_contains($session_ids::varchar[], session_id) and experiment_id is null;
