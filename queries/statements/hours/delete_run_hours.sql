-- statement: delete_run_hours
-- purpose:   deletes the counts of some hours, which are counted again
-- reads:     run_hours
delete from run_hours
where hour >= $since and hour < $until;
