-- statement: insert_offered_tools
-- purpose:   stores the tool definitions that no run of production has offered before
-- reads:     offered_tools, evaluator_cursors
-- note:      assembled_tool_definitions and assembled_agent_traces are registered by the writer. The definition that
--            had the highest seq may have been deleted; a cursor that has passed it has not.
insert into offered_tools
with used as (
    select seq
    from offered_tools
    union all
    select seq
    from evaluator_cursors
    where scope = 'tool'
)

select
    definition_hash,
    any_value(name) as name,
    any_value(description) as description,
    any_value(input_schema) as input_schema,
    (select coalesce(max(seq), 0) from used) + row_number() over (order by definition_hash) as seq
from assembled_tool_definitions as arriving
where
    agent_trace_id in (
        select agent_trace_id
        from assembled_agent_traces
        where experiment_id is null
    )
    and not exists (
        select 1
        from offered_tools as stored
        where stored.definition_hash = arriving.definition_hash
    )
group by definition_hash;
