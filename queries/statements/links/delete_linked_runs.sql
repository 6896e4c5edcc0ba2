-- statement: delete_linked_runs
-- purpose:   deletes how some runs are linked; all of them began between $earliest and $latest
-- reads:     linked_runs
delete from linked_runs
where
    started_at between $earliest and $latest
    and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
