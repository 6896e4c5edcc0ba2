-- report:  evaluators_by_step
-- purpose: what the scores of each evaluator say in a period, against the same length before it, and in steps of some
--          hours
-- grain:   evaluator, evaluator_kind
-- reads:   score_hours_between
-- note:    at most $limit, those of $configured first, then those that scored most; `total` is how many there are.
--          `steps` has the steps with scores: their number, and the share that passed, or the mean where nothing can
--          pass. `usual` is between which values 80 % of such steps were in the seven days before. `failed_runs` is
--          what the filter score:NAME:failed selects, but for people.
with hours as materialized (
    select
        evaluator,
        evaluator_kind,
        hour >= $since::timestamp as is_now,
        hour >= $since::timestamp - ($until::timestamp - $since::timestamp) as is_compared,
        hour >= $since::timestamp - interval 7 day as is_recent,
        floor(datediff('hour', $since::timestamp, hour) / $step_hours::double)::bigint as step,
        sum(scored) as scored,
        sum(skipped) as skipped,
        sum(errors) as errors,
        sum(passed) as passed,
        sum(failed) as failed,
        sum(failed_runs) as failed_runs,
        sum(valued) as valued,
        sum(value_nano)::double / 1e9 as total,
        sum(priced) as priced,
        sum(cost_nanousd)::double / 1e9 as cost_usd
    from
        score_hours_between(
            $since::timestamp - greatest(interval 7 day, $until::timestamp - $since::timestamp), $until::timestamp
        )
    where
        ($evaluator is null or evaluator = $evaluator)
        and ($search::varchar is null or contains(lower(evaluator), lower($search)))
        and ($agent is null or coalesce(nullif(agent_name, ''), service_name) = $agent)
        and ($version::varchar is null or agent_version = $version::varchar)
        and ($environment is null or environment = $environment)
        and ($service is null or service_name = $service)
    group by all
),

chosen as (
    select
        evaluator,
        evaluator_kind,
        count(*) over () as total
    from hours
    group by evaluator, evaluator_kind
    having sum(scored + skipped + errors) filter (where is_now) > 0
    order by
        list_contains($configured::varchar[], evaluator) desc,
        sum(scored) filter (where is_now) desc,
        evaluator,
        evaluator_kind
    limit $limit
),

steps as (
    select
        evaluator,
        evaluator_kind,
        is_now,
        step,
        coalesce(sum(passed) / nullif(sum(passed + failed), 0), sum(total) / nullif(sum(valued), 0)) as value
    from hours
    semi join chosen using (evaluator, evaluator_kind)
    where is_now or is_recent
    group by all
),

drawn as (
    select
        evaluator,
        evaluator_kind,
        list({ 'step': step, 'value': value } order by step) filter (where is_now) as steps,
        case
            when count(value) filter (where not is_now) >= 10
                then quantile_cont(value, [0.1, 0.9]) filter (where not is_now)
        end as usual
    from steps
    group by all
),

counted as (
    select
        evaluator,
        evaluator_kind,
        coalesce(sum(scored) filter (where is_now), 0)::bigint as scored,
        coalesce(sum(skipped) filter (where is_now), 0)::bigint as skipped,
        coalesce(sum(errors) filter (where is_now), 0)::bigint as errors,
        coalesce(sum(passed) filter (where is_now), 0)::bigint as passed,
        coalesce(sum(failed_runs) filter (where is_now), 0)::bigint as failed_runs,
        coalesce(sum(passed + failed) filter (where is_now), 0)::bigint as n,
        coalesce(sum(passed) filter (where is_compared and not is_now), 0)::bigint as passed_before,
        coalesce(sum(passed + failed) filter (where is_compared and not is_now), 0)::bigint as n_before,
        sum(total) filter (where is_now) / nullif(sum(valued) filter (where is_now), 0) as mean,
        coalesce(sum(priced) filter (where is_now), 0)::bigint as priced,
        sum(cost_usd) filter (where is_now) as cost_usd
    from hours
    semi join chosen using (evaluator, evaluator_kind)
    group by all
)

select
    counted.*,
    chosen.total,
    drawn.steps,
    drawn.usual
from counted
inner join chosen using (evaluator, evaluator_kind)
left join drawn using (evaluator, evaluator_kind)
order by counted.evaluator, counted.evaluator_kind;
