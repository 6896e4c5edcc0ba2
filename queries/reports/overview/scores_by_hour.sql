-- report:  scores_by_hour
-- purpose: what each evaluator said in each hour of a window
-- grain:   evaluator, evaluator_kind, hour
-- reads:   score_hours_between
select
    evaluator,
    evaluator_kind,
    hour,
    sum(scored)::bigint as n,
    sum(passed)::bigint as passed,
    sum(failed)::bigint as failed,
    sum(value_nano) / 1e9 / nullif(sum(valued), 0) as mean_value
from score_hours_between($since, $until)
where
    ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service)
group by evaluator, evaluator_kind, hour
order by evaluator, evaluator_kind, hour;
