-- statement: linked_agent_traces
-- purpose:   some runs, for the evaluation of their sessions, in the order of assembly
-- reads:     agent_traces
select *
from agent_traces
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
order by assembled_seq;
