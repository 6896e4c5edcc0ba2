-- statement: definition_hashes_of_runs
-- purpose:   the tool definitions that some runs offer, each once
-- reads:     tool_definitions
select distinct definition_hash
from tool_definitions
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
