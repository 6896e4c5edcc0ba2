-- statement: insert_agent_traces
-- purpose:   stores the rows of new revisions
-- reads:     agent_traces
-- note:      assembled_agent_traces is registered by the writer.
insert into agent_traces by name
select *
from assembled_agent_traces;
