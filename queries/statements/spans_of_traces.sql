-- statement: spans_of_traces
-- purpose:   every span of some traces, for assembly
-- reads:     spans
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
    resource
from spans
where trace_id in (select unnest(string_split($trace_ids, ',')))
order by start_ns, span_id, batch_seq;
