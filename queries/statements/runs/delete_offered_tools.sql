-- statement: delete_offered_tools
-- purpose:   deletes those of some tool definitions that no run offers any more: they were in an incomplete version of
--            a run
-- reads:     offered_tools, tool_definitions
delete from offered_tools
where
    definition_hash in (select unnest(string_split($definition_hashes, chr(31))))
    and not exists (
        select 1
        from tool_definitions as offered
        where offered.definition_hash = offered_tools.definition_hash
    )
returning definition_hash;
