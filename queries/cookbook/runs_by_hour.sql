-- report:  runs_by_hour
-- purpose: How many runs were there, and how did they end?
-- grain:   starts_at
-- reads:   selected_runs, few
-- period:  24h
-- note:    by hour; by day if the period is over three days. Times are the begin of the hour or day. n are the
--          runs that neither wait for a person nor are unfinished.
select
    time_bucket(
        case when $until::timestamp - $since::timestamp > interval 3 day then interval 1 day else interval 1 hour end,
        started_at
    ) as starts_at,
    count(*) as runs,
    count(*) filter (where outcome not in ('waiting', 'unfinished')) as n,
    round(count(*) filter (where failing) / nullif(n, 0), 4) as failing_rate,
    count(*) filter (where outcome = 'error') as errors,
    count(*) filter (where outcome = 'failing') as failing,
    count(*) filter (where outcome = 'passed') as passed,
    count(*) filter (where outcome = 'waiting') as waiting,
    count(*) filter (where outcome = 'unfinished') as unfinished,
    count(*) filter (where outcome = 'not_scored') as not_scored,
    round(quantile_cont(duration_ms, 0.5), 1) as p50_ms,
    round(quantile_cont(duration_ms, 0.95), 1) as p95_ms,
    round(sum(cost_usd), 6) as cost_usd,
    few(n) as remark
from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
group by all
order by starts_at;
