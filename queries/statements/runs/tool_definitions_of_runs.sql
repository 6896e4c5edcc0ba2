-- statement: tool_definitions_of_runs
-- purpose:   the tool_definitions of some runs, for evaluation
-- reads:     tool_definitions
select *
from tool_definitions
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
