-- statement: delete_score_hours
-- purpose:   deletes the counts of some hours, which are counted again
-- reads:     score_hours
delete from score_hours
where hour >= $since and hour < $until;
