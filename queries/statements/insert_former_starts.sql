-- statement: insert_former_starts
-- purpose:   remembers when some runs began by what is stored of them, before it is written again
-- reads:     former_starts, agent_traces
insert into former_starts
select
    agent_trace_id,
    started_at
from agent_traces
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
