-- report:  tool_definitions_in_run
-- purpose: the definitions of the tools that a run offered, in order
-- grain:   position
-- reads:   tool_definitions
select *
from tool_definitions
where agent_trace_id = $agent_trace_id
order by position
limit $limit;
