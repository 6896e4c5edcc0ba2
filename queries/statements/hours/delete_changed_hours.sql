-- statement: delete_changed_hours
-- purpose:   deletes the marks of some hours that are counted, up to the last change that was counted
-- reads:     changed_hours
delete from changed_hours
where hour >= $since and hour < $until and change <= $change;
