-- statement: release_deferred_targets
-- purpose:   makes the deferred targets of some evaluators due now, since the cause may be over
-- reads:     due_later
update due_later
set not_before = $now
where
    not_before > $now
    and evaluator in (select unnest(string_split($evaluators, chr(31))));
