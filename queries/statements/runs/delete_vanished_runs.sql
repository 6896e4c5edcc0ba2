-- statement: delete_vanished_runs
-- purpose:   removes some runs from those that had vanished, and returns their last revisions
-- reads:     vanished_runs
delete from vanished_runs
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
returning
    agent_trace_id,
    revision;
