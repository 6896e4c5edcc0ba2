-- report:  searched_runs
-- purpose: how many runs and spans a search has looked at, and when the last of the spans arrived
-- grain:   one row
-- reads:   agent_traces, spans
select
    (select count(*) from agent_traces) as runs,
    count(*) as spans,
    max(ingested_at) as arrived_at
from spans;
