-- statement: delete_outcome_definition
-- purpose:   forgets by which definition outcomes were computed, before another one is recorded
-- reads:     outcome_state
delete from outcome_state;
