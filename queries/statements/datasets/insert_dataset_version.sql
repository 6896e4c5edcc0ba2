-- statement: insert_dataset_version
-- purpose:   records a version of a dataset
-- reads:     datasets, dataset_items
insert into datasets by name
select
    $dataset as dataset,
    $version as version,
    $now as created_at,
    $author as author,
    count(*) as items,
    $added as added,
    $changed as changed,
    $removed as removed
from dataset_items
where dataset = $dataset and removed_in is null;
