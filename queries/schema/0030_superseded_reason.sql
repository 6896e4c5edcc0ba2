-- migration: superseded_reason
-- purpose:   tells why a score is not active any more: replaced, by a newer one; not_selected or no_reference, for its
--            evaluator does not evaluate the present revision of the run; target_gone, for what it is about is none
-- note:      null where it was superseded before.
alter table scores add column superseded_reason varchar;
