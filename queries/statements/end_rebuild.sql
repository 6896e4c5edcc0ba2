-- statement: end_rebuild
-- purpose:   notes that the rebuild under way has come to its end
-- reads:     rebuilds
update rebuilds
set ended_at = $now
where ended_at is null;
