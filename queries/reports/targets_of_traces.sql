-- report:  targets_of_traces
-- purpose: the targets of the sessions that runs in some traces belong to, and of the tools that these runs offered
-- grain:   target_id
-- reads:   agent_traces, tool_definitions
-- note:    trace_ids is a list, joined by chr(31).
select 'session:' || session_id as target_id
from agent_traces
where session_id is not null and trace_id in (select unnest(string_split($trace_ids, chr(31))))
union
select 'tool:' || definition_hash as target_id
from tool_definitions
where trace_id in (select unnest(string_split($trace_ids, chr(31))));
