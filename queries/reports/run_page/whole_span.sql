-- report:  whole_span
-- purpose: a span of a trace that began within a period, whole
-- grain:   span_id
-- reads:   spans
select *
from spans
where
    trace_id = $trace_id
    and span_id = $id
    and start_time >= $earliest::timestamp
    and start_time <= $latest::timestamp;
