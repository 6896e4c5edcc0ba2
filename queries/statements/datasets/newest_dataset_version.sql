-- statement: newest_dataset_version
-- purpose:   the newest version of a dataset; no row if there is no such dataset
-- reads:     datasets
select * from datasets
where dataset = $dataset
order by version desc
limit 1;
