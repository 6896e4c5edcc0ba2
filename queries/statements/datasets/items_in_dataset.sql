-- statement: items_in_dataset
-- purpose:   the items with these ids in the newest version of a dataset; null: all
-- reads:     dataset_items
select
    item_id,
    added_in,
    position,
    content_hash
from dataset_items
where
    dataset = $dataset
    and removed_in is null
    and ($item_ids is null or item_id in (select unnest(string_split($item_ids, chr(31)))));
