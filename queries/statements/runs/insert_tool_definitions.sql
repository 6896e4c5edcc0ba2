-- statement: insert_tool_definitions
-- purpose:   stores the rows of new revisions
-- reads:     tool_definitions, id_number
-- note:      assembled_tool_definitions is registered by the writer.
insert into tool_definitions by name
select * replace (id_number(agent_trace_id, '0') as id_start)
from assembled_tool_definitions;
