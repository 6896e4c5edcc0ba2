-- report:  tool_definitions_in_run
-- purpose: the definitions of the tools that a run offered, in order
-- grain:   position
-- reads:   tool_definitions, id_number
-- note:    DuckDB would compare whole ids before numbers, but not beginnings.
select *
from tool_definitions
where
    id_start = id_number($agent_trace_id, '0')
    and starts_with(agent_trace_id, $agent_trace_id)
order by position
limit $limit;
