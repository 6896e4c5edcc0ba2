-- report:  exported_agent_traces
-- purpose: all runs that began on a day, with sub-agents and those of experiments, for an export
-- grain:   agent_trace_id
-- reads:   agent_traces
select *
from agent_traces
where started_at >= $day::date and started_at < $day::date + interval 1 day;
