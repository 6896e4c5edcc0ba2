-- report:  versions_of_dataset
-- purpose: the newest $limit versions of a dataset, the newest first, and $version
-- grain:   version
-- reads:   datasets
with newest as (
    select max(version) as version
    from datasets
    where dataset = $dataset
)

select datasets.*
from datasets
cross join newest
where
    datasets.dataset = $dataset
    and (datasets.version = $version or datasets.version > newest.version - $limit)
order by datasets.version desc;
