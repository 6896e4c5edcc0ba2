-- statement: end_rebuild
-- purpose:   records the end of the rebuild in progress
-- reads:     rebuilds
update rebuilds
set ended_at = $now
where ended_at is null;
