-- report:  llm_calls_in_tree
-- purpose: the model calls of a run and of those below it, in order
-- grain:   agent_trace_id, position
-- reads:   llm_calls
-- note:    the time of a row limits what is read; rows without one are read whenever they began.
select *
from llm_calls
where
    list_contains($agent_trace_ids::varchar[], agent_trace_id)
    and started_at >= $earliest::timestamp
    and started_at <= $latest::timestamp
union all
select *
from llm_calls
where list_contains($agent_trace_ids::varchar[], agent_trace_id) and started_at is null
order by agent_trace_id, position
limit $limit;
