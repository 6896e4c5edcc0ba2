-- table:   deferrals
-- purpose: internal. What an evaluator cannot evaluate yet, and when to look again; due_later was its name before
-- grain:   target_id, evaluator
alter table due_later rename to deferrals;
