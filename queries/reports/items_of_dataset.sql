-- report:  items_of_dataset
-- purpose: the items of a version of a dataset behind a position, in their order
-- grain:   item_id
-- reads:   dataset_items
select * exclude (dataset, added_in, removed_in, content_hash)
from dataset_items
where
    dataset = $dataset
    and added_in <= $version
    and (removed_in is null or removed_in > $version)
    and position > $after_position
order by position
limit $limit;
