-- report:  versions_of_dataset
-- purpose: the newest $limit versions of a dataset, the newest first, and $version
-- grain:   version
-- reads:   datasets
select * from datasets
where
    dataset = $dataset
    and (version = $version or version > (select max(version) from datasets where dataset = $dataset) - $limit)
order by version desc;
