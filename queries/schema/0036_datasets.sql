-- table:   datasets
-- purpose: datasets, in versions: each change makes the next one
-- grain:   dataset, version
create table datasets (
    dataset varchar not null,
    version bigint not null, -- from 1
    created_at timestamp not null,
    author varchar not null, -- who made the change
    items bigint not null, -- in this version
    added bigint not null, -- items that the version before does not have
    changed bigint not null,
    removed bigint not null
);
