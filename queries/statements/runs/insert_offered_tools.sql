-- statement: insert_offered_tools
-- purpose:   stores the tool definitions that no run of production has offered before
-- reads:     offered_tools, evaluator_cursors
-- note:      assembled_tool_definitions and assembled_agent_traces are registered by the writer. The definition that
--            had the highest seq may have been deleted; a cursor that has passed it has not.
insert into offered_tools by name
with used as (
    select seq
    from offered_tools
    union all
    select seq
    from evaluator_cursors
    where scope = 'tool'
)

select
    arriving.definition_hash,
    any_value(arriving.name) as name,
    any_value(arriving.description) as description,
    any_value(arriving.input_schema) as input_schema,
    (select coalesce(max(seq), 0) from used) + row_number() over (order by arriving.definition_hash) as seq,
    min(runs.started_at) as first_offered_at,
    arg_min(runs.agent_trace_id, runs.started_at) as first_agent_trace_id
from assembled_tool_definitions as arriving
inner join assembled_agent_traces as runs on arriving.agent_trace_id = runs.agent_trace_id
where
    runs.experiment_id is null
    and not exists (
        select 1
        from offered_tools as stored
        where stored.definition_hash = arriving.definition_hash
    )
group by arriving.definition_hash;
