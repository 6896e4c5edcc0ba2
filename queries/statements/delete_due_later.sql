-- statement: delete_due_later
-- purpose:   forgets that some runs were put off for an evaluator
-- reads:     due_later
delete from due_later
where evaluator = $evaluator and target_id in (select unnest(string_split($agent_trace_ids, ',')));
