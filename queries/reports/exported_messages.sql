-- report:  exported_messages
-- purpose: the messages of the runs that began on a day, for an export
-- grain:   agent_trace_id, position
-- reads:   messages, agent_traces
select *
from messages
where agent_trace_id in (
    select agent_trace_id
    from agent_traces
    where started_at >= $day::date and started_at < $day::date + interval 1 day
);
