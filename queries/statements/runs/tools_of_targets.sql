-- statement: tools_of_targets
-- purpose:   some tool definitions, for evaluation, in the order in which they were first offered
-- reads:     offered_tools
select
    'tool:' || definition_hash as target_id,
    name,
    description,
    input_schema
from offered_tools
where 'tool:' || definition_hash in (select unnest(string_split($target_ids, chr(31))))
order by seq;
