-- statement: delete_outcome_definition
-- purpose:   forgets by which definitions outcomes and counts of hours were computed, before others are recorded
-- reads:     outcomes_definition
delete from outcomes_definition;
