-- statement: load_agent_traces
-- purpose:   some runs, for evaluation, in the order they were assembled
-- reads:     agent_traces
select *
from agent_traces
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
order by assembled_seq;
