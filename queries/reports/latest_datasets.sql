-- report:  latest_datasets
-- purpose: the newest version of each dataset
-- grain:   dataset
-- reads:   datasets
select
    dataset,
    max(version) as version,
    arg_max(items, version) as items,
    min(created_at) as created_at,
    max(created_at) as changed_at
from datasets
group by dataset
order by dataset;
