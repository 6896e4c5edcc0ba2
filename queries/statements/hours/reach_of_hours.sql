-- statement: reach_of_hours
-- purpose:   between which times all that is counted in some hours began
-- grain:     one row
-- reads:     reach_of_runs
select
    earliest,
    latest
from reach_of_runs($since::timestamp, $until::timestamp);
