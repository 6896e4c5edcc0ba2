-- statement: insert_executions
-- purpose:   stores lone tool calls
-- reads:     executions
-- note:      lone_calls is registered by the writer.
insert into executions by name
select *
from lone_calls;
