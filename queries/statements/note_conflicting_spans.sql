-- statement: note_conflicting_spans
-- purpose:   leaves a log record where a span came again under the same ids with other content; the first one stays
-- reads:     spans, logs
-- note:      the record stands at the start of the span that stays, and only once, however often the other one comes.
insert into logs by name
select distinct
    kept.trace_id,
    kept.span_id,
    'tracegrade.conflicting_span' as event_name,
    kept.start_time as time,
    kept.start_ns as time_ns,
    'WARN' as severity,
    'tracegrade' as service_name,
    'tracegrade' as scope_name,
    '{}'::json as attributes,
    '{"service.name":"tracegrade"}'::json as resource,
    $ingested_at as ingested_at,
    $batch_seq as batch_seq
from arriving_spans as arriving
inner join spans as kept on arriving.trace_id = kept.trace_id and arriving.span_id = kept.span_id
where
    kept.start_time between make_timestamp($earliest_ns // 1000) and make_timestamp($latest_ns // 1000)
    and (
        kept.name <> arriving.name
        or kept.parent_span_id is distinct from arriving.parent_span_id
        or kept.start_ns <> arriving.start_ns
        or kept.end_ns <> arriving.end_ns
        or kept.status_code <> arriving.status_code
        or kept.attributes::varchar <> arriving.attributes
        or kept.events::varchar <> arriving.events
    )
    and not exists (
        select 1
        from logs as noted
        where
            noted.time = kept.start_time
            and noted.time between make_timestamp($earliest_ns // 1000) and make_timestamp($latest_ns // 1000)
            and noted.trace_id = kept.trace_id
            and noted.span_id = kept.span_id
            and noted.event_name = 'tracegrade.conflicting_span'
    );
