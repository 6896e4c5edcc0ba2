-- statement: delete_link_keys
-- purpose:   forgets the ids by which some runs could be linked; all of them began within these times
-- reads:     link_keys
delete from link_keys
where
    started_at between $earliest and $latest
    and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
