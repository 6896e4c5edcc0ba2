-- statement: delete_outbox_of_feedback
-- purpose:   takes a removed annotation out of the outbox, if it has not been sent yet
-- reads:     outbox
delete from outbox
where score_id = $score_id;
