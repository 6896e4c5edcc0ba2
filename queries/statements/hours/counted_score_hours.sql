-- statement: counted_score_hours
-- purpose:   the active scores on runs of some hours, counted
-- grain:     hour, agent_name, agent_version, environment, service_name, evaluator, evaluator_kind
-- reads:     score_hours_of
select *
from score_hours_of($since::timestamp, $until::timestamp, $earliest::timestamp, $latest::timestamp);
