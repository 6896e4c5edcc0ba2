-- statement: insert_linked_calls
-- purpose:   records which tool calls got their outcome from a later run
-- reads:     linked_calls
-- note:      new_linked_calls is registered by the writer.
insert into linked_calls by name
select *
from new_linked_calls;
