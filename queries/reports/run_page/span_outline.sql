-- report:  span_outline
-- purpose: the spans of a trace that began within a period, by start, without their attributes
-- grain:   span_id
-- reads:   spans
select
    span_id,
    parent_span_id,
    name,
    start_ns,
    end_ns,
    duration_ms,
    status_code,
    left(status_message, 200) as status_message
from spans
where trace_id = $trace_id and start_time >= $earliest::timestamp and start_time <= $latest::timestamp
order by start_ns, span_id
limit $limit;
