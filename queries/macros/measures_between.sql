-- macro:   measures_between
-- purpose: what each agent does in a period, compared with the same length before it: shares of failing runs and
--          scores, means of duration and cost; null selects all agents, versions and so on
-- grain:   agent, measure, evaluator, evaluator_kind
-- reads:   run_hours_between, score_hours_between, difference_of_shares, difference_of_means
-- note:    the only definition of what got worse. Only measures with at least ten in both; is_worse: the 95 % interval
--          of the change does not contain 0. since_at is the hour from which on the sum of what exceeds the middle of
--          both levels is the largest (E. S. Page, Biometrika 41, 1954, 100-115). Periods begin at a full hour.
--          `before` and `now` are means; of a rate, total and total_before are how many.
create or replace macro measures_between(since_, until_, agent_, version_, environment_, service_) as table
    with run_counts as (
        select
            coalesce(nullif(agent_name, ''), service_name) as agent,
            hour,
            sum(passed_runs + failing_runs) as judged_runs,
            sum(failing_runs) as failing_runs,
            sum(timed_runs) as timed_runs,
            sum(duration_ms)::double as duration_ms,
            sum(duration_squares)::double as duration_squares,
            sum(priced_runs) as priced_runs,
            sum(cost_nanousd)::double / 1e9 as cost_usd,
            sum(cost_squares)::double / 1e18 as cost_squares
        from
            run_hours_between(
                date_trunc('hour', since_::timestamp) - (until_::timestamp - date_trunc('hour', since_::timestamp)),
                until_::timestamp
            )
        where
            (agent_ is null or coalesce(nullif(agent_name, ''), service_name) = agent_)
            and (version_ is null or agent_version = version_::varchar)
            and (environment_ is null or environment = environment_)
            and (service_ is null or service_name = service_)
        group by all
    ),

    hours as materialized (
        select
            agent,
            unnest(['failing runs', 'duration of a run', 'cost of a run']) as measure,
            null::varchar as evaluator,
            null::varchar as evaluator_kind,
            unnest(['rate', 'ms', 'usd']) as unit,
            hour,
            unnest([judged_runs, timed_runs, priced_runs])::double as n,
            unnest([failing_runs::double, duration_ms, cost_usd]) as total,
            unnest([failing_runs::double, duration_squares, cost_squares]) as squares
        from run_counts
        union all
        select
            coalesce(nullif(agent_name, ''), service_name) as agent,
            'failing scores' as measure,
            evaluator,
            evaluator_kind,
            'rate' as unit,
            hour,
            sum(passed + failed)::double as n,
            sum(failed)::double as total,
            sum(failed)::double as squares
        from
            score_hours_between(
                date_trunc('hour', since_::timestamp) - (until_::timestamp - date_trunc('hour', since_::timestamp)),
                until_::timestamp
            )
        where
            (agent_ is null or coalesce(nullif(agent_name, ''), service_name) = agent_)
            and (version_ is null or agent_version = version_::varchar)
            and (environment_ is null or environment = environment_)
            and (service_ is null or service_name = service_)
        group by all
    ),

    sides as materialized (
        select
            agent,
            measure,
            evaluator,
            evaluator_kind,
            unit,
            coalesce(sum(n) filter (where hour >= date_trunc('hour', since_::timestamp)), 0) as n,
            coalesce(sum(n) filter (where hour < date_trunc('hour', since_::timestamp)), 0) as n_before,
            sum(total) filter (where hour >= date_trunc('hour', since_::timestamp)) as total,
            sum(total) filter (where hour < date_trunc('hour', since_::timestamp)) as total_before,
            sum(squares) filter (where hour >= date_trunc('hour', since_::timestamp)) as squares,
            sum(squares) filter (where hour < date_trunc('hour', since_::timestamp)) as squares_before
        from hours
        group by agent, measure, evaluator, evaluator_kind, unit
        having
            sum(n) filter (where hour >= date_trunc('hour', since_::timestamp)) >= 10
            and sum(n) filter (where hour < date_trunc('hour', since_::timestamp)) >= 10
    ),

    compared as materialized (
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
            hours.evaluator,
            hours.evaluator_kind,
            hours.hour,
            hours.total - hours.n * (sides.total / sides.n + sides.total_before / sides.n_before) / 2 as excess
        from hours
        inner join sides
            on
                hours.agent = sides.agent
                and hours.measure = sides.measure
                and coalesce(hours.evaluator, '') = coalesce(sides.evaluator, '')
                and coalesce(hours.evaluator_kind, '') = coalesce(sides.evaluator_kind, '')
        where hours.hour >= date_trunc('hour', since_::timestamp) and hours.n > 0
    ),

    sums as (
        select
            *,
            sum(excess) over (partition by agent, measure, evaluator, evaluator_kind order by hour)
            - excess as sum_before
        from excesses
    ),

    starts as (
        select
            agent,
            measure,
            coalesce(evaluator, '') as evaluator,
            coalesce(evaluator_kind, '') as evaluator_kind,
            arg_min(hour, (sum_before, hour)) as since_at
        from sums
        group by all
    )

    select
        compared.agent,
        compared.measure,
        compared.evaluator,
        compared.evaluator_kind,
        compared.unit,
        compared.n::bigint as n,
        compared.n_before::bigint as n_before,
        compared.total,
        compared.total_before,
        compared.total / compared.n as now,
        compared.total_before / compared.n_before as before,
        compared.change,
        starts.since_at,
        (compared.change)['low'] > 0 as is_worse
    from compared
    left join starts
        on
            compared.agent = starts.agent
            and compared.measure = starts.measure
            and coalesce(compared.evaluator, '') = starts.evaluator
            and coalesce(compared.evaluator_kind, '') = starts.evaluator_kind;
