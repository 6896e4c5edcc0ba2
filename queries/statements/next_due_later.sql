-- statement: next_due_later
-- purpose:   when the first of what was put off is due
-- reads:     due_later
select min(not_before)
from due_later;
