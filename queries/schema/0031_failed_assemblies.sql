-- migration: failed_assemblies
-- purpose:   keeps which traces could not be assembled, how often in a row, why, and when they are tried again
-- note:      null in rows of traces that wait for more to arrive. A retry_at that is null is the next start.
alter table waiting_traces add column failures bigint;
alter table waiting_traces add column failed_at timestamp;
alter table waiting_traces add column retry_at timestamp;
alter table waiting_traces add column cause varchar;
