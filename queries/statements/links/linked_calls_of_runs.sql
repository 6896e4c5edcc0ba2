-- statement: linked_calls_of_runs
-- purpose:   the tool calls of some runs whose outcome a later run reported
-- reads:     linked_calls
select *
from linked_calls
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
