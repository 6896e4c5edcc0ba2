-- statement: insert_link_keys
-- purpose:   stores the keys by which new revisions can be linked
-- reads:     link_keys
-- note:      new_link_keys is registered by the writer.
insert into link_keys by name
select *
from new_link_keys;
