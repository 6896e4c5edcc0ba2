-- report:  llm_calls_in_run
-- purpose: the model calls of a run, in order
-- grain:   position
-- reads:   llm_calls
-- note:    the time of a row limits what is read; rows without one are read whenever they began.
select *
from llm_calls
where
    agent_trace_id = $agent_trace_id
    and started_at >= $earliest::timestamp
    and started_at <= $latest::timestamp
union all
select *
from llm_calls
where agent_trace_id = $agent_trace_id and started_at is null
order by position
limit $limit;
