-- migration: first_offers
-- purpose:   the first of the runs that offered a tool definition, and when it began
alter table offered_tools add column first_offered_at timestamp;
alter table offered_tools add column first_agent_trace_id varchar;

update offered_tools
set first_offered_at = first.started_at, first_agent_trace_id = first.agent_trace_id
from (
    select
        tools.definition_hash,
        min(runs.started_at) as started_at,
        arg_min(runs.agent_trace_id, runs.started_at) as agent_trace_id
    from tool_definitions as tools
    inner join agent_traces as runs on tools.agent_trace_id = runs.agent_trace_id
    where runs.experiment_id is null
    group by tools.definition_hash
) as first
where offered_tools.definition_hash = first.definition_hash;
