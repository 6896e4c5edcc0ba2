-- statement: release_due_later
-- purpose:   what some evaluators put off is due now: what held it up may be over
-- reads:     due_later
update due_later
set not_before = $now
where
    not_before > $now
    and evaluator in (select unnest(string_split($evaluators, chr(31))));
