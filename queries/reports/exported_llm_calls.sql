-- report:  exported_llm_calls
-- purpose: the model calls of the runs that began on a day, for an export
-- grain:   agent_trace_id, position
-- reads:   llm_calls, agent_traces
select *
from llm_calls
where agent_trace_id in (
    select agent_trace_id
    from agent_traces
    where started_at >= $day::date and started_at < $day::date + interval 1 day
);
