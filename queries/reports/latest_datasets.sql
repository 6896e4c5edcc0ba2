-- report:  latest_datasets
-- purpose: the newest version of each dataset whose name contains $search, the first $limit, and how many there are
-- grain:   dataset
-- reads:   datasets
select
    dataset,
    max(version) as version,
    arg_max(items, version) as items,
    min(created_at) as created_at,
    max(created_at) as changed_at,
    count(*) over () as total
from datasets
where $search::varchar is null or contains(lower(dataset), lower($search))
group by dataset
order by dataset
limit $limit;
