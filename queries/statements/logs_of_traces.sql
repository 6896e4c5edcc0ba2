-- statement: logs_of_traces
-- purpose:   every log record of some traces, for assembly
-- reads:     logs
select
    trace_id,
    span_id,
    event_name,
    time_ns,
    body,
    attributes
from logs
where trace_id in (select unnest(string_split($trace_ids, ','))) and span_id is not null
order by time_ns, span_id, event_name, body::varchar;
