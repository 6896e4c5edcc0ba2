-- statement: insert_tool_calls
-- purpose:   stores the rows of new revisions
-- reads:     tool_calls
-- note:      assembled_tool_calls is registered by the writer.
insert into tool_calls by name
select *
from assembled_tool_calls;
