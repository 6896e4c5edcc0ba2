-- report:  newest_run
-- purpose: where `tracegrade tail` begins: behind all but the last few runs
-- grain:   one row
-- reads:   agent_traces
select greatest(coalesce(max(assembled_seq), 0) - $count, 0) as after_seq
from agent_traces;
