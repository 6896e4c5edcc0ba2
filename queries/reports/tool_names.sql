-- report:  tool_names
-- purpose: the names of tools that runs of production called or offered
-- grain:   tool
-- reads:   tool_hours, offered_tools
select tool from tool_hours
union
select name from offered_tools
order by all
limit $limit;
