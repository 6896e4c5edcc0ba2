-- report:  traces_with_runs
-- purpose: those of some traces that have a run, as one list
-- grain:   one row
-- reads:   agent_traces
select coalesce(list(distinct trace_id), []) as trace_ids
from agent_traces
where trace_id in (select unnest($trace_ids::varchar[]));
