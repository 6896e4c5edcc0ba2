-- table:   dataset_items
-- purpose: the items of datasets, each from the version that added it to the one that removed or changed it
-- grain:   dataset, item_id, added_in
create table dataset_items (
    dataset varchar not null,
    item_id varchar not null,
    added_in bigint not null, -- the first version with this row
    removed_in bigint, -- the first version without it; null: the newest version has it
    position bigint not null, -- in the order of the dataset
    input varchar not null,
    input_is_object boolean not null, -- input is JSON
    expected_tool_calls json, -- null: not specified; []: none expected
    minimums json,
    expected_response varchar,
    expected_trajectory json,
    tasks json,
    constraints json,
    tools json,
    split varchar,
    tags json not null,
    metadata json not null,
    source_agent_trace_id varchar, -- the run that it was made of
    source_revision bigint,
    content_hash varchar not null
);
