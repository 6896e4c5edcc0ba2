-- report:  worse
-- purpose: What got worse than before, by how much, since when?
-- grain:   agent, measure
-- reads:   measures_between
-- note:    the period against the same length before it: at least ten in both, and the 95 % interval of the change does
--          not contain 0. First shares of runs and scores that failed, then means of duration and cost. The period
--          begins at a full hour. since_at is the hour from which on the sum of what exceeds the middle of both levels
--          is the largest (E. S. Page, Biometrika 41, 1954, 100-115).
select
    agent,
    if(
        evaluator is null,
        measure,
        'failing ' || evaluator || if(evaluator_kind = 'human', ' (people)', '')
    ) as measure,
    n_before,
    round(before, 6) as before,
    n,
    round(now, 6) as now,
    round((change)['difference'], 6) as change,
    round((change)['low'], 6) as change_low,
    round((change)['high'], 6) as change_high,
    unit,
    since_at
from measures_between($since::timestamp, $until::timestamp, $agent, $version, $environment, null)
where is_worse
order by
    unit = 'rate' desc,
    if(unit = 'rate', (change)['low'], (change)['low'] / nullif(before, 0)) desc nulls first,
    agent,
    measure;
