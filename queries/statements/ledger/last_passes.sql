-- statement: last_passes
-- purpose:   when the last pass of each evaluator started, or else when it was enrolled; its schedule counts from there
-- reads:     evaluation_passes, evaluator_cursors
select
    evaluator,
    max(started_at) as started_at
from (
    select
        evaluator,
        started_at
    from evaluation_passes
    union all
    select
        evaluator,
        enrolled_at as started_at
    from evaluator_cursors
) as starts
group by evaluator;
