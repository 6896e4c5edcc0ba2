-- view:    sessions
-- purpose: conversations: the runs of production that share a session id, each run without a parent counting as one
--          turn
-- grain:   session_id, service_name
-- reads:   sessions_of
create or replace view sessions as
select *
from sessions_of(null, null, null);
