-- statement: delete_link_keys
-- purpose:   deletes the keys of some runs; all of them began between $earliest and $latest
-- reads:     link_keys
delete from link_keys
where
    started_at between $earliest and $latest
    and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
