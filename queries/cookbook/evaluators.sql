-- report:    evaluators
-- purpose:   How do evaluators score, against the period before?
-- grain:     evaluator, kind
-- reads:     run_scores, difference_of_shares, few
-- note:      the period before is as long. n are the scores that say whether the target passed. The worst change first.
-- evaluator: only this evaluator
with selected as (
    select
        *,
        started_at >= $since::timestamp as is_now
    from
        run_scores(
            $since::timestamp - ($until::timestamp - $since::timestamp),
            $until::timestamp,
            $agent,
            $version,
            $environment
        )
    where $evaluator is null or evaluator = $evaluator
),

counted as (
    select
        evaluator,
        evaluator_kind as kind,
        count(*) filter (where is_now and status = 'scored') as scored,
        count(*) filter (where is_now and status = 'skipped') as skipped,
        count(*) filter (where is_now and status = 'error') as errors,
        avg(value) filter (where is_now) as mean_value,
        count(passed) filter (where is_now) as n,
        count(*) filter (where is_now and passed) as passed,
        count(passed) filter (where not is_now) as n_before,
        count(*) filter (where not is_now and passed) as passed_before,
        sum(cost_usd) filter (where is_now) as cost_usd
    from selected
    group by evaluator, evaluator_kind
    having count(*) filter (where is_now) > 0
),

compared as (
    select
        *,
        difference_of_shares(passed, n, passed_before, n_before) as change
    from counted
)

select
    evaluator,
    kind,
    scored,
    skipped,
    errors,
    round(mean_value, 3) as mean_value,
    n_before,
    round(passed_before / nullif(n_before, 0), 4) as before_rate,
    n,
    round(passed / nullif(n, 0), 4) as pass_rate,
    round((change)['difference'], 4) as pass_rate_change,
    round((change)['low'], 4) as pass_rate_change_low,
    round((change)['high'], 4) as pass_rate_change_high,
    round(cost_usd, 6) as cost_usd,
    few(least(n, n_before)) as remark
from compared
order by (change)['high'] nulls last, evaluator, kind;
