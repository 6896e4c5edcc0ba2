-- statement: delete_outcome_definition
-- purpose:   forgets by which definition outcomes were computed, before another one is recorded
-- reads:     outcomes_definition
delete from outcomes_definition;
