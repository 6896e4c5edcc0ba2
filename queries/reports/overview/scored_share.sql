-- report:  scored_share
-- purpose: how many of the runs of a window have scores, and how many targets of all evaluators are deferred now
-- grain:   one row
-- reads:   run_hours_between, deferrals
-- note:    how many targets are new to each evaluator is in the report backlog.
select
    sum(runs)::bigint as runs,
    sum(scored_runs)::bigint as scored_runs,
    sum(scored_runs) / sum(runs) as scored_rate,
    (select count(*) from deferrals) as deferred_targets
from run_hours_between($since, $until)
where
    ($agent::varchar is null or agent_name = $agent)
    and ($agent_version::varchar is null or agent_version = $agent_version)
    and ($environment::varchar is null or environment = $environment)
    and ($service::varchar is null or service_name = $service);
