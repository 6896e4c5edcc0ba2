-- report:  newest_run_keys
-- purpose: the ids of the runs of a period that a filter selects, newest first, page by page
-- grain:   agent_trace_id
-- reads:   runs
-- splices: condition
-- note:    only ids and times, since DuckDB would read all columns of all runs that it sorts.
select
    agent_trace_id,
    started_at,
    0::double as sort_key
from runs
where
    started_at >= $since::timestamp
    and started_at < $until::timestamp
    and started_at <= $after_started_at::timestamp
    and (started_at < $after_started_at::timestamp or agent_trace_id < $after_agent_trace_id)
    and (
        ${condition}
    )
order by started_at desc, agent_trace_id desc
limit $limit;
