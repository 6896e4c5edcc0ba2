-- statement: insert_linked_runs
-- purpose:   records how some runs are linked
-- reads:     linked_runs
-- note:      new_linked_runs is registered by the writer.
insert into linked_runs by name
select *
from new_linked_runs;
