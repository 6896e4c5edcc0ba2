-- migration: run_interrupts
-- purpose:   says for each run what it waits for a person to decide or answer, where it stopped for that
-- grain:     agent_trace_id
-- note:      null for runs that were assembled before.
alter table agent_traces add column interrupt varchar;
