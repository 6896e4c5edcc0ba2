-- migration: rows_hash
-- purpose:   tells whether the stored rows of a run are up to date without reading them; null in rows written before
alter table agent_traces add column rows_hash varchar;
