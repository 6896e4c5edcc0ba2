-- statement: remove_dataset_items
-- purpose:   removes items from the newest version of a dataset on
-- reads:     dataset_items
update dataset_items
set removed_in = $version
where dataset = $dataset and removed_in is null and item_id in (select unnest(string_split($item_ids, chr(31))));
