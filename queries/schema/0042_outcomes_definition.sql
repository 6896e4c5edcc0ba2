-- table:   outcomes_definition
-- purpose: internal. By which definition the outcomes of runs in agent_traces were computed; if it is another one, they
--          are computed again when the store is opened for writing
-- grain:   definition_hash
create table outcomes_definition (
    definition_hash varchar not null
);
