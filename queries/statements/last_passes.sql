-- statement: last_passes
-- purpose:   when each evaluator was last at work, or else enrolled: what its schedule counts from
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
) as known
group by evaluator;
