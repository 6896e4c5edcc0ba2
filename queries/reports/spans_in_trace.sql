-- report:  spans_in_trace
-- purpose: the spans of a trace that began within a period, by start
-- grain:   span_id
-- reads:   spans
select *
from spans
where trace_id = $trace_id and start_time >= $earliest::timestamp and start_time <= $latest::timestamp
order by start_ns, span_id
limit $limit;
