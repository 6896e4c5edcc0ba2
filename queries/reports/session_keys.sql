-- report:  session_keys
-- purpose: the sessions with runs that a filter selects in a period, those with the newest of them first, page by page
-- grain:   session_id, service_name
-- reads:   runs
-- splices: condition
select
    session_id,
    coalesce(service_name, '') as service_name,
    max(started_at) as last_started_at
from runs
where
    session_id is not null
    and started_at >= $since::timestamp
    and started_at < $until::timestamp
    and (
        ${condition}
    )
group by all
having
    last_started_at < $after_started_at::timestamp
    or (
        last_started_at = $after_started_at::timestamp
        and (session_id, service_name) < ($after_session_id, $after_service)
    )
order by last_started_at desc, session_id desc, service_name desc
limit $limit;
