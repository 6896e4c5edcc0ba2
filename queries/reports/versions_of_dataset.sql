-- report:  versions_of_dataset
-- purpose: the versions of a dataset, the newest first
-- grain:   version
-- reads:   datasets
select * from datasets
where dataset = $dataset
order by version desc;
