-- report:  labelling
-- purpose: the runs and sessions that are most worth a label by a person, for `tracegrade annotate --queue` and the API
-- grain:   target_id
-- reads:   labelling_queue
select *
from
    labelling_queue(
        $since::timestamp,
        $until::timestamp,
        $agent,
        $version,
        $environment,
        $service,
        $evaluator::varchar,
        $limit::bigint
    )
order by place;
