-- statement: insert_pass
-- purpose:   records a pass of an evaluator with the numbers of its scores, once
-- reads:     evaluation_passes
insert into evaluation_passes
select
    $pass_id as pass_id,
    $evaluator as evaluator,
    $started_at as started_at,
    $ended_at as ended_at,
    $due as due,
    count(*) filter (where status = 'scored') as scored,
    count(*) filter (where status = 'skipped') as skipped,
    count(*) filter (where status = 'error') as errors,
    $deferred as deferred,
    'done' as status
from arriving_scores
where evaluator = $evaluator
having not exists (
    select 1
    from evaluation_passes
    where pass_id = $pass_id and evaluator = $evaluator
);
