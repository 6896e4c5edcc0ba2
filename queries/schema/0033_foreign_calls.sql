-- migration: foreign_calls
-- purpose:   marks the calls that other services wrote into a run: neither the agent's own service recorded them, nor
--            did its model ask for them
-- note:      calls of runs that were assembled before are marked when these are rebuilt. The column has no default, for
--            which DuckDB would change a setting, and these are locked.
alter table tool_calls add column is_foreign boolean;
update tool_calls set is_foreign = false;
