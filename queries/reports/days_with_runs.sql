-- report:  days_with_runs
-- purpose: the days (UTC) on which outermost runs of production began, and between which times the runs of their trees
--          and the targets of scores on these began
-- grain:   day
-- reads:   agent_traces, former_starts
with former as (
    select
        split_part(agent_trace_id, '-', 1) as trace_id,
        min(started_at) as earliest_at,
        max(started_at) as latest_at
    from former_starts
    group by trace_id
)

select
    runs.started_at::date as day,
    count(*) as runs,
    min(least(runs.earliest_at, former.earliest_at)) as earliest,
    max(greatest(runs.latest_at, former.latest_at)) as latest
from agent_traces as runs
left join former on runs.trace_id = former.trace_id
where runs.root_agent_trace_id = runs.agent_trace_id and runs.experiment_id is null
group by day
order by day;
