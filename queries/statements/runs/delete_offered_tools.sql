-- statement: delete_offered_tools
-- purpose:   deletes those of some tool definitions that no run of production offers any more: they were in an
--            incomplete version of a run
-- reads:     offered_tools, tool_definitions, agent_traces
delete from offered_tools
where
    definition_hash in (select unnest(string_split($definition_hashes, chr(31))))
    and not exists (
        select 1
        from tool_definitions as offered
        inner join agent_traces as runs using (agent_trace_id)
        where offered.definition_hash = offered_tools.definition_hash and runs.experiment_id is null
    )
returning definition_hash;
