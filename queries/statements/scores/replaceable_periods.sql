-- statement: replaceable_periods
-- purpose:   the ranges of target_time in which scores may be that the arriving ones replace: that of the arriving
--            scores; that of former start times of their runs, if any is recorded; and a row of nulls where sessions or
--            tools are among them, whose scores are found by scope
-- grain:     period
-- reads:     former_starts
-- note:      arriving_scores is registered by the writer. A session may have begun earlier than was known when it was
--            evaluated, and a tool definition has no time.
select
    min(target_time) as earliest,
    max(target_time) as latest
from arriving_scores
union
select
    min(started_at) - interval 1 day as earliest,
    max(started_at) + interval 1 day as latest
from former_starts
where agent_trace_id in (select agent_trace_id from arriving_scores)
having count(*) > 0
union
select
    null as earliest,
    null as latest
from arriving_scores
where scope in ('session', 'tool')
having count(*) > 0;
