-- statement: spans_of_traces
-- purpose:   the spans of some traces, for assembly
-- reads:     spans
-- note:      of a trace that is too large the first spans are returned, in order of time; spans_in_trace is the number
--            that it has.
select
    trace_id,
    span_id,
    parent_span_id,
    parent_is_remote,
    name,
    kind,
    start_ns,
    end_ns,
    duration_ms,
    status_code,
    status_message,
    service_name,
    service_version,
    deployment_environment,
    scope_name,
    scope_version,
    attributes,
    events,
    links,
    resource,
    count(*) over (partition by trace_id) as spans_in_trace
from spans
where trace_id in (select unnest(string_split($trace_ids, chr(31))))
window by_time as (partition by trace_id order by start_ns, span_id, batch_seq rows unbounded preceding)
qualify
    row_number() over by_time <= $most_spans
    and sum(strlen(attributes::varchar) + strlen(events::varchar)) over by_time <= $most_bytes
order by start_ns, span_id, batch_seq;
