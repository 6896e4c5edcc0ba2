-- report:  listed_runs
-- purpose: the runs of a period that a filter selects, newest first, as a query for people to go on with
-- grain:   agent_trace_id
-- reads:   runs
-- splices: condition
select
    started_at,
    agent_trace_id,
    agent_name,
    agent_version,
    outcome,
    input,
    coalesce(first_fault, final_response) as first_fault_or_answer,
    duration_ms,
    cost_usd
from runs
where
    started_at >= $since::timestamp
    and started_at < $until::timestamp
    and (
        ${condition}
    )
order by started_at desc, agent_trace_id desc;
