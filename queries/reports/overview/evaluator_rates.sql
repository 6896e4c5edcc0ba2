-- report:  evaluator_rates
-- purpose: what each evaluator said in a window, and in the window of the same length before
-- grain:   evaluator, evaluator_kind
-- reads:   score_hours_between
select
    evaluator,
    evaluator_kind,
    sum(scored) filter (where is_now)::bigint as n,
    sum(passed) filter (where is_now)::bigint as passed,
    sum(failed) filter (where is_now)::bigint as failed,
    sum(passed) filter (where is_now) / nullif(sum(passed + failed) filter (where is_now), 0) as pass_rate,
    sum(value_nano) filter (where is_now) / 1e9 / nullif(sum(valued) filter (where is_now), 0) as mean_value,
    sum(skipped) filter (where is_now)::bigint as skipped,
    sum(errors) filter (where is_now)::bigint as errors,
    sum(cost_nanousd) filter (where is_now) / 1e9 as cost_usd,
    sum(scored) filter (where not is_now)::bigint as n_before,
    sum(passed) filter (where not is_now)::bigint as passed_before,
    sum(failed) filter (where not is_now)::bigint as failed_before,
    sum(passed) filter (where not is_now) / nullif(sum(passed + failed) filter (where not is_now), 0)
        as pass_rate_before,
    sum(value_nano) filter (where not is_now) / 1e9 / nullif(sum(valued) filter (where not is_now), 0)
        as mean_value_before
from (
    select
        *,
        hour >= $since as is_now
    from score_hours_between($since::timestamp - ($until::timestamp - $since::timestamp), $until)
) as counted
where
    ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service)
group by evaluator, evaluator_kind
order by evaluator, evaluator_kind;
