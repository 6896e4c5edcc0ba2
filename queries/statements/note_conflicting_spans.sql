-- statement: note_conflicting_spans
-- purpose:   leaves a log record where a span came again under the same ids with other content; the first one stays
-- reads:     spans, logs
insert into logs by name
select
    arriving.trace_id,
    arriving.span_id,
    'tracegrade.conflicting_span' as event_name,
    $ingested_at as time,
    epoch_ns($ingested_at) as time_ns,
    'WARN' as severity,
    'tracegrade' as service_name,
    'tracegrade' as scope_name,
    '{}' as attributes,
    '{"service.name":"tracegrade"}' as resource,
    $ingested_at as ingested_at,
    $batch_seq as batch_seq
from arriving_spans as arriving
inner join spans as kept on arriving.trace_id = kept.trace_id and arriving.span_id = kept.span_id
where
    kept.start_time between make_timestamp($earliest_ns // 1000) and make_timestamp($latest_ns // 1000)
    and kept.batch_seq < $batch_seq
    and (
        kept.name <> arriving.name
        or kept.start_ns <> arriving.start_ns
        or kept.end_ns <> arriving.end_ns
        or kept.attributes::varchar <> arriving.attributes
    );
