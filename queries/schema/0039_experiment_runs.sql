-- table:   experiment_runs
-- purpose: what the agent of an experiment did with an item: a run, or an error
-- grain:   experiment_id, item_id, repeat
create table experiment_runs (
    experiment_id varchar not null,
    item_id varchar not null,
    repeat bigint not null, -- from 0
    position bigint not null, -- of the item in the dataset, from 0
    item json not null, -- the item, as in a file of a dataset
    item_hash varchar not null, -- of its content
    status varchar not null, -- completed, error
    cause varchar, -- of the error
    agent_trace_id varchar, -- null: there is no run
    duration_ms double, -- of the task
    ended_at timestamp not null
);
