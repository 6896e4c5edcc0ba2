-- statement: insert_score_hours
-- purpose:   stores the counts of some hours
-- reads:     counted_score_hours
insert into score_hours by name
select * from counted_score_hours;
