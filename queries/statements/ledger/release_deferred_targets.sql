-- statement: release_deferred_targets
-- purpose:   makes the deferred targets of some evaluators due now, since the cause may be over
-- reads:     deferrals
update deferrals
set not_before = $now
where
    not_before > $now
    and evaluator in (select unnest(string_split($evaluators, chr(31))));
