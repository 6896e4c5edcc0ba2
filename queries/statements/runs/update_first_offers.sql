-- statement: update_first_offers
-- purpose:   writes the first run that offered a tool definition and its time, where an earlier one arrives later
-- reads:     offered_tools
-- note:      assembled_tool_definitions and assembled_agent_traces are registered by the writer.
update offered_tools
set first_offered_at = earlier.started_at, first_agent_trace_id = earlier.agent_trace_id
from (
    select
        arriving.definition_hash,
        min(runs.started_at) as started_at,
        arg_min(runs.agent_trace_id, runs.started_at) as agent_trace_id
    from assembled_tool_definitions as arriving
    inner join assembled_agent_traces as runs on arriving.agent_trace_id = runs.agent_trace_id
    where runs.experiment_id is null
    group by arriving.definition_hash
) as earlier
where
    offered_tools.definition_hash = earlier.definition_hash
    and earlier.started_at < coalesce(offered_tools.first_offered_at, timestamp '9999-12-31');
