-- statement: insert_tool_hours
-- purpose:   stores the counts of some hours
-- reads:     counted_tool_hours
insert into tool_hours by name
select * from counted_tool_hours;
