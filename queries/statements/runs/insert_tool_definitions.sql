-- statement: insert_tool_definitions
-- purpose:   stores the rows of new revisions
-- reads:     tool_definitions
-- note:      assembled_tool_definitions is registered by the writer.
insert into tool_definitions by name
select *
from assembled_tool_definitions;
