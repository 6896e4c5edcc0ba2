-- report:  sessions_by_id
-- purpose: some sessions by their ids, with the beginnings of long texts
-- grain:   session_id, service_name
-- reads:   sessions_of
select
    *
    replace (
        left(first_input, $most_characters) as first_input, left(last_response, $most_characters) as last_response
    )
from sessions_of($session_ids::varchar[], $earliest::timestamp, $latest::timestamp);
