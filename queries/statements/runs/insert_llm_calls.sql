-- statement: insert_llm_calls
-- purpose:   stores the rows of new revisions
-- reads:     llm_calls
-- note:      assembled_llm_calls is registered by the writer.
insert into llm_calls by name
select *
from assembled_llm_calls;
