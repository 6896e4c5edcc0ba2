-- report:  tool_names
-- purpose: the names of tools that runs of production called or offered, first $name if it is one of them
-- grain:   tool
-- reads:   tool_hours, offered_tools
select tool
from (
    select tool from tool_hours
    union
    select name from offered_tools
) as names
order by tool <> $name, tool
limit $limit;
