-- statement: insert_outcome_definition
-- purpose:   records by which definition all outcomes are computed
-- reads:     outcome_state
insert into outcome_state
values ($definition_hash);
