-- view:    latest_dataset_items
-- purpose: the items in the newest version of each dataset
-- grain:   dataset, item_id
-- reads:   dataset_items
create or replace view latest_dataset_items as
select * exclude (removed_in, content_hash)
from dataset_items
where removed_in is null;
