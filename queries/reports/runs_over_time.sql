-- report:  runs_over_time
-- purpose: how many of the runs that a filter selects began in each hour, day or month, by outcome
-- grain:   begin
-- reads:   runs
-- splices: condition
-- note:    $step is hour, day or month.
select
    date_trunc($step, started_at)::timestamp as begin,
    count(*) filter (where outcome = 'error') as error,
    count(*) filter (where outcome = 'failing') as failing,
    count(*) filter (where outcome = 'passed') as passed,
    count(*) filter (where outcome = 'waiting') as waiting,
    count(*) filter (where outcome = 'unfinished') as unfinished,
    count(*) filter (where outcome = 'not_scored') as not_scored
from runs
where
    started_at >= $since::timestamp
    and started_at < $until::timestamp
    and (
        ${condition}
    )
group by begin
order by begin;
