-- statement: has_former_starts
-- purpose:   whether there is a former start of any run; in most stores there is none
-- grain:     one row
-- reads:     former_starts
select count(*) > 0 as is_present
from former_starts;
