-- statement: pause_evaluator
-- purpose:   pauses an evaluator
-- reads:     paused_evaluators
insert into paused_evaluators
select
    $evaluator as evaluator,
    $now as paused_at
where not exists (
    select 1
    from paused_evaluators
    where evaluator = $evaluator
);
