-- statement: delete_waiting_traces
-- purpose:   removes some traces from those that wait, whether or not they did
-- reads:     waiting_traces
delete from waiting_traces
where trace_id in (select unnest(string_split($trace_ids, chr(31))));
