-- migration: first_offers
-- purpose:   when the first of the runs began that offered a tool definition
alter table offered_tools add column first_offered_at timestamp;

update offered_tools
set first_offered_at = first.started_at
from (
    select
        tools.definition_hash,
        min(runs.started_at) as started_at
    from tool_definitions as tools
    inner join agent_traces as runs on tools.agent_trace_id = runs.agent_trace_id
    where runs.experiment_id is null
    group by tools.definition_hash
) as first
where offered_tools.definition_hash = first.definition_hash;
