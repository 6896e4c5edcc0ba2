-- statement: delete_due_later
-- purpose:   forgets that some targets were put off for an evaluator
-- reads:     due_later
delete from due_later
where evaluator = $evaluator and target_id in (select unnest(string_split($target_ids, chr(31))));
