-- statement: insert_dataset_items
-- purpose:   stores items of a dataset
-- reads:     dataset_items
-- note:      arriving_items is registered by the writer.
insert into dataset_items by name
select * from arriving_items;
