-- table:   waiting_traces
-- purpose: internal. Traces that were assembled and are not complete, or whose next revision is put off: a restart
--          takes them up though assembly_progress has passed them
-- grain:   trace_id
create table waiting_traces (
    trace_id varchar not null
);
