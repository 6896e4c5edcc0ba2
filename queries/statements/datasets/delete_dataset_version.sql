-- statement: delete_dataset_version
-- purpose:   deletes the record of a version that is continued, before it is recorded again
-- reads:     datasets
delete from datasets
where dataset = $dataset and version = $version;
