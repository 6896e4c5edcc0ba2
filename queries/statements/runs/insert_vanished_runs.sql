-- statement: insert_vanished_runs
-- purpose:   records the last revision of runs that a later assembly no longer contains; runs before
--            delete_agent_traces
-- reads:     agent_traces
insert into vanished_runs
select
    agent_trace_id,
    revision
from agent_traces
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
