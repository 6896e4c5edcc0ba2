-- table:   experiments
-- purpose: experiments: an agent that was run on the items of a dataset, and evaluated
-- grain:   experiment_id
create table experiments (
    experiment_id varchar not null,
    name varchar not null, -- several may have the same
    dataset varchar, -- null: the items are not those of a stored dataset
    dataset_version bigint,
    items bigint not null,
    repeats bigint not null, -- runs of each item
    evaluators json not null, -- list of {name, version, config_hash}
    task varchar not null, -- what was run, in words
    metadata json not null,
    author varchar not null,
    plan_hash varchar not null, -- of the items, repeats and evaluators: an interrupted experiment continues by it
    started_at timestamp not null,
    ended_at timestamp -- null: in progress, or interrupted
);
