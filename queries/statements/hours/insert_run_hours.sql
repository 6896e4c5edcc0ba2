-- statement: insert_run_hours
-- purpose:   stores the counts of some hours
-- reads:     counted_run_hours
insert into run_hours by name
select * from counted_run_hours;
