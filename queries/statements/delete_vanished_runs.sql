-- statement: delete_vanished_runs
-- purpose:   the last revisions of those of some runs that had vanished, which are no longer remembered
-- reads:     vanished_runs
delete from vanished_runs
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
returning
    agent_trace_id,
    revision;
