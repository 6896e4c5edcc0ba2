-- report:  worse
-- purpose: What got worse than before, by how much, since when?
-- grain:   agent, measure
-- reads:   selected_runs, run_scores, difference_of_shares, difference_of_means
-- note:    the period against the same length before it: at least ten in both, and the 95 % interval of the change does
--          not contain 0. First shares of runs and scores that failed, then means of duration, cost and tokens.
--          since_at is the hour from which on the sum of what exceeds the middle of both levels is the largest (E. S.
--          Page, Biometrika 41, 1954, 100-115).
with runs as (
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

hours as (
    select
        agent,
        measure,
        unit,
        started_at >= $since::timestamp as is_now,
        date_trunc('hour', started_at) as starts_at,
        count(amount) as n,
        sum(amount) as total,
        sum(amount * amount) as squares
    from measured
    where amount is not null
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
        sum(squares) filter (where not is_now) as squares_before
    from hours
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

excesses as (
    select
        hours.agent,
        hours.measure,
        hours.starts_at,
        hours.total - hours.n * (sides.total / sides.n + sides.total_before / sides.n_before) / 2 as excess
    from hours
    inner join sides using (agent, measure)
    where hours.is_now
),

sums as (
    select
        *,
        sum(excess) over (partition by agent, measure order by starts_at) - excess as sum_before
    from excesses
),

starts as (
    select
        agent,
        measure,
        arg_min(starts_at, (sum_before, starts_at)) as since_at
    from sums
    group by agent, measure
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
