-- table:   paused_evaluators
-- purpose: internal. Evaluators that somebody has stopped for a while, by their names
-- grain:   evaluator
create table paused_evaluators (
    evaluator varchar not null,
    paused_at timestamp not null
);
