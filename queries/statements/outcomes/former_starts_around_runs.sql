-- statement: former_starts_around_runs
-- purpose:   the former starts of runs in the traces of some runs, at which older scores on them may be found
-- grain:     trace_id
-- reads:     former_starts
select
    split_part(agent_trace_id, '-', 1) as trace_id,
    min(started_at) as earliest_at,
    max(started_at) as latest_at
from former_starts
where
    split_part(agent_trace_id, '-', 1) in (
        select split_part(unnest(string_split($agent_trace_ids, chr(31))), '-', 1)
    )
group by trace_id;
