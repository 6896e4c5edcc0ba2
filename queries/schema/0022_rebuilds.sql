-- table:   rebuilds
-- purpose: internal. Each rebuild that was asked for, how far it has come and what it changed; a restart goes on from
--          here
-- grain:   rebuild_id
create table rebuilds (
    rebuild_id bigint not null,
    since timestamp, -- traces with a span that began then or later; null: all
    asked_at timestamp not null,
    ended_at timestamp, -- null: under way
    traces bigint not null, -- how many there are to assemble again
    done bigint not null, -- how many of them have had their turn, in the order of rebuild_traces
    arriving bigint not null, -- of these: left to the assembly of new spans, for something of them has just come
    deferred bigint not null, -- of these: revised a minute later, for a run of theirs has had many revisions
    failed bigint not null, -- of these: could not be assembled; their runs stay as they are
    same_runs bigint not null,
    changed_runs bigint not null,
    new_runs bigint not null,
    vanished_runs bigint not null
);
