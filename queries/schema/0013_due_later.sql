-- table:   due_later
-- purpose: internal. What an evaluator could not judge yet, and when to look again
-- grain:   target_id, evaluator
create table due_later (
    target_id varchar not null,
    scope varchar not null,
    evaluator varchar not null,
    not_before timestamp not null,
    priority bigint not null,
    reason varchar not null
);
