-- statement: outcome_definition
-- purpose:   by which definition the outcomes in this store were computed
-- reads:     outcomes_definition
select definition_hash
from outcomes_definition;
