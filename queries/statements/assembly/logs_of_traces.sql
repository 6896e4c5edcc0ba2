-- statement: logs_of_traces
-- purpose:   the log records of some traces that name a span or are events, for assembly
-- reads:     logs
select
    trace_id,
    span_id,
    event_name,
    time_ns,
    service_name,
    scope_name,
    body,
    attributes
from logs
where
    trace_id in (select unnest(string_split($trace_ids, chr(31))))
    and (span_id is not null or event_name is not null)
order by time_ns, span_id, event_name, body::varchar;
