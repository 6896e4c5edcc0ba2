-- statement: insert_messages
-- purpose:   stores the rows of new revisions
-- reads:     messages
-- note:      assembled_messages is registered by the writer.
insert into messages by name
select *
from assembled_messages;
