-- statement: counted_run_hours
-- purpose:   the runs of some hours, counted
-- grain:     hour, agent_name, agent_version, environment, service_name, model
-- reads:     run_hours_of
select *
from run_hours_of($since::timestamp, $until::timestamp);
