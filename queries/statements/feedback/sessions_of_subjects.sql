-- statement: sessions_of_subjects
-- purpose:   when the sessions that feedback names began, of those that exist
-- reads:     agent_traces
-- note:      named_subjects is registered by the writer.
select
    session_id,
    min(started_at) as started_at
from agent_traces
where session_id in (select session_id from named_subjects)
group by session_id;
