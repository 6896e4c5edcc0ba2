-- statement: insert_outcome_definition
-- purpose:   records by which definition all outcomes are computed, or all counts of hours that are not marked
-- reads:     outcomes_definition
insert into outcomes_definition
values ($definition_hash);
