-- statement: last_item_position
-- purpose:   the position of the last item that a dataset has or had; 0 if there is none
-- reads:     dataset_items
select coalesce(max(position), 0) from dataset_items
where dataset = $dataset;
