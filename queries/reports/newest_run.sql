-- report:  newest_run
-- purpose: the assembled_seq before the last few runs of production, where `tracegrade tail` begins
-- grain:   one row
-- reads:   agent_traces
select greatest(coalesce(max(assembled_seq), 0) - $count, 0) as after_seq
from agent_traces
where experiment_id is null;
