-- statement: delete_tool_hours
-- purpose:   deletes the counts of some hours, which are counted again
-- reads:     tool_hours
delete from tool_hours
where hour >= $since and hour < $until;
