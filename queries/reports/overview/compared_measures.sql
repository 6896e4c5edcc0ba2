-- report:  compared_measures
-- purpose: what each agent does in a period against the same length before it, what got worse first
-- grain:   agent, measure, evaluator, evaluator_kind
-- reads:   measures_between
select
    agent,
    measure,
    evaluator,
    evaluator_kind,
    unit,
    n,
    n_before,
    total,
    total_before,
    now,
    before,
    since_at,
    is_worse
from measures_between($since::timestamp, $until::timestamp, $agent, $version, $environment, $service)
order by
    is_worse desc,
    unit = 'rate' desc,
    if(unit = 'rate', (change)['low'], (change)['low'] / nullif(before, 0)) desc nulls first,
    measure = 'failing runs' desc,
    agent,
    evaluator;
