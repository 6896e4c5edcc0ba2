-- report:  logs_in_trace
-- purpose: the log records of a trace within a period, by time
-- grain:   log record
-- reads:   logs
select *
from logs
where trace_id = $trace_id and time >= $earliest::timestamp and time <= $latest::timestamp
order by time_ns, span_id, event_name
limit $limit;
