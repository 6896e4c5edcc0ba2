-- statement: delete_sent_events
-- purpose:   deletes the exported events from the outbox
-- reads:     outbox
delete from outbox
where position <= $position;
