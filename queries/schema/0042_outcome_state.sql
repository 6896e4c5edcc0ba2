-- table:   outcome_state
-- purpose: internal. By which definition the outcomes of runs in agent_traces were computed; if it is another one, they
--          are computed again when the store is opened for writing
-- grain:   definition_hash
create table outcome_state (
    definition_hash varchar not null
);
