-- report:  exported_runs
-- purpose: the outermost runs of production that began on a day, for an export
-- grain:   agent_trace_id
-- reads:   runs
select *
from runs
where started_at >= $day::date and started_at < $day::date + interval 1 day;
