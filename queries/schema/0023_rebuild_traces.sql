-- table:   rebuild_traces
-- purpose: internal. The traces of the rebuild that is under way, in the order in which they arrived
-- grain:   position
create table rebuild_traces (
    position bigint not null, -- from 1
    trace_id varchar not null,
    spans bigint not null
);
