-- migration: runs_without_result
-- purpose:   counts by hour the runs that wait for a person and those that have not finished
-- note:      filled when the store is opened for writing, since the definition of hours is new.
alter table run_hours add column waiting_runs bigint;
alter table run_hours add column unfinished_runs bigint;
