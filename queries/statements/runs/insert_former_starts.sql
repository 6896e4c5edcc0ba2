-- statement: insert_former_starts
-- purpose:   records the stored start times of some runs before their rows are replaced
-- reads:     former_starts, agent_traces
insert into former_starts
select
    agent_trace_id,
    started_at
from agent_traces
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
