-- statement: outcome_definition
-- purpose:   by which definitions the outcomes and the counts of hours in this store were computed
-- grain:     definition_hash
-- reads:     outcomes_definition
select definition_hash
from outcomes_definition;
