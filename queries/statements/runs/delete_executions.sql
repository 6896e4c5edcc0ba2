-- statement: delete_executions
-- purpose:   deletes the lone tool calls of some traces, before they are written again
-- reads:     executions
delete from executions
where trace_id in (select unnest(string_split($trace_ids, chr(31))));
