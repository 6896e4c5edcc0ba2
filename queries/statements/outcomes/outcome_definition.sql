-- statement: outcome_definition
-- purpose:   by which definition the outcomes in this store were computed
-- reads:     outcome_state
select definition_hash
from outcome_state;
