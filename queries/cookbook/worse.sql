-- report:  worse
-- purpose: What got worse than before, by how much, since when?
-- grain:   agent, measure
-- reads:   selected_runs, run_scores, difference_of_shares, difference_of_means
-- note:    the period against the same length before it: at least ten in both, and the 95 % interval of the change does
--          not contain 0. First shares of runs and scores that failed, then means of duration, cost and tokens.
--          since_at is the first of the last hours (days, if the period is over three days) that are all worse than
--          nine in ten hours of the period before; null if the last one is not.
with bounds as (
    select
        $since::timestamp as starts_at,
        if($until::timestamp - $since::timestamp > interval 3 day, interval 1 day, interval 1 hour) as width
),

runs as (
    select
        coalesce(agent_name, service_name) as agent,
        started_at,
        failing,
        score_count > 0 or failing as is_scored,
        duration_ms,
        cost_usd,
        output_tokens
    from selected_runs(
        $since::timestamp - ($until::timestamp - $since::timestamp),
        $until::timestamp,
        $agent,
        $version,
        $environment
    )
),

measured as (
    select
        agent,
        'failing runs' as measure,
        'rate' as unit,
        started_at,
        failing::int::double as amount
    from runs
    where is_scored
    union all
    select
        coalesce(agent_name, service_name) as agent,
        'failing ' || evaluator || if(evaluator_kind = 'human', ' (people)', '') as measure,
        'rate' as unit,
        started_at,
        (not passed)::int::double as amount
    from
        run_scores(
            $since::timestamp - ($until::timestamp - $since::timestamp),
            $until::timestamp,
            $agent,
            $version,
            $environment
        )
    where passed is not null
    union all
    select
        agent,
        unnest(['duration of a run', 'cost of a run', 'output tokens of a run']) as measure,
        unnest(['ms', 'usd', 'tokens']) as unit,
        started_at,
        unnest([duration_ms, cost_usd, output_tokens::double]) as amount
    from runs
),

buckets as (
    select
        measured.agent,
        measured.measure,
        measured.unit,
        measured.started_at >= bounds.starts_at as is_now,
        time_bucket(bounds.width, measured.started_at) as bucket,
        count(measured.amount) as n,
        sum(measured.amount) as total,
        sum(measured.amount * measured.amount) as squares
    from measured
    cross join bounds
    where measured.amount is not null
    group by all
),

sides as (
    select
        agent,
        measure,
        unit,
        sum(n) filter (where is_now) as n,
        sum(n) filter (where not is_now) as n_before,
        sum(total) filter (where is_now) as total,
        sum(total) filter (where not is_now) as total_before,
        sum(squares) filter (where is_now) as squares,
        sum(squares) filter (where not is_now) as squares_before,
        quantile_cont(total / n, 0.9) filter (where not is_now) as usual
    from buckets
    group by agent, measure, unit
    having sum(n) filter (where is_now) >= 10 and sum(n) filter (where not is_now) >= 10
),

compared as (
    select
        *,
        case
            when unit = 'rate' then difference_of_shares(total, n, total_before, n_before)
            else difference_of_means(
                total / n,
                greatest(squares - total * total / n, 0) / (n - 1),
                n,
                total_before / n_before,
                greatest(squares_before - total_before * total_before / n_before, 0) / (n_before - 1),
                n_before
            )
        end as change
    from sides
),

last_usual as (
    select
        buckets.agent,
        buckets.measure,
        max(buckets.bucket) as bucket
    from buckets
    inner join sides using (agent, measure)
    where buckets.is_now and buckets.total / buckets.n <= sides.usual
    group by buckets.agent, buckets.measure
),

starts as (
    select
        buckets.agent,
        buckets.measure,
        min(buckets.bucket) as since_at
    from buckets
    left join last_usual using (agent, measure)
    where buckets.is_now and (last_usual.bucket is null or buckets.bucket > last_usual.bucket)
    group by buckets.agent, buckets.measure
)

select
    compared.agent,
    compared.measure,
    compared.n_before::bigint as n_before,
    round(compared.total_before / compared.n_before, 6) as before,
    compared.n::bigint as n,
    round(compared.total / compared.n, 6) as now,
    round((compared.change)['difference'], 6) as change,
    round((compared.change)['low'], 6) as change_low,
    round((compared.change)['high'], 6) as change_high,
    compared.unit,
    starts.since_at
from compared
left join starts using (agent, measure)
where (compared.change)['low'] > 0
order by
    compared.unit = 'rate' desc,
    if(
        compared.unit = 'rate',
        (compared.change)['low'],
        (compared.change)['low'] / nullif(compared.total_before / compared.n_before, 0)
    ) desc nulls first,
    compared.agent,
    compared.measure;
