-- statement: outbox_sent
-- purpose:   forgets what was sent
-- reads:     outbox
delete from outbox
where position <= $position;
