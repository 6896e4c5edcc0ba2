-- table:   vanished_runs
-- purpose: internal. The last revision of runs that turned out to be none: if one comes back, it is counted on from
--          there, for verdicts on the old revisions were withdrawn for good
-- grain:   agent_trace_id
create table vanished_runs (
    agent_trace_id varchar not null,
    revision bigint not null
);
