-- statement: tools_of_runs
-- purpose:   the tools that some runs offer, each once, as targets of evaluators
-- reads:     tool_definitions, offered_tools
select distinct
    'tool:' || tools.definition_hash as target_id,
    tools.seq
from tool_definitions
inner join offered_tools as tools using (definition_hash)
where tool_definitions.agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
order by tools.seq;
