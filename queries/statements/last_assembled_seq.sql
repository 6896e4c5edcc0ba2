-- statement: last_assembled_seq
-- purpose:   the highest assembled_seq ever given
-- reads:     agent_traces
select coalesce(max(assembled_seq), 0) as assembled_seq
from agent_traces;
