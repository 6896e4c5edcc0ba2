-- statement: note_conflicting_spans
-- purpose:   leaves a log record where a span came again under the same ids with other content; the first one stays
-- reads:     spans, logs
-- note:      arriving_spans is registered by the writer: those that came again. They were stored from the commit
--            $first_seq to $last_seq, and only content of that time is read. The record stands at the start of the span
--            that stays, and only once, however often the other one comes.
insert into logs by name
with conflicting as (
    select distinct
        kept.trace_id,
        kept.span_id,
        kept.start_time,
        kept.start_ns
    from spans as kept
    inner join arriving_spans as arriving on kept.trace_id = arriving.trace_id and kept.span_id = arriving.span_id
    where
        kept.batch_seq between $first_seq and $last_seq
        and (
            kept.name <> arriving.name
            or kept.parent_span_id is distinct from arriving.parent_span_id
            or kept.start_ns <> arriving.start_ns
            or kept.end_ns <> arriving.end_ns
            or kept.status_code <> arriving.status_code
            or kept.attributes::varchar <> arriving.attributes
            or kept.events::varchar <> arriving.events
        )
)

select
    conflicting.trace_id,
    conflicting.span_id,
    'tracegrade.conflicting_span' as event_name,
    conflicting.start_time as time,
    conflicting.start_ns as time_ns,
    'WARN' as severity,
    'tracegrade' as service_name,
    'tracegrade' as scope_name,
    '{}'::json as attributes,
    '{"service.name":"tracegrade"}'::json as resource,
    $ingested_at as ingested_at,
    $batch_seq as batch_seq
from conflicting
where
    not exists (
        select 1
        from logs as noted
        where
            noted.time = conflicting.start_time
            and noted.trace_id = conflicting.trace_id
            and noted.span_id = conflicting.span_id
            and noted.event_name = 'tracegrade.conflicting_span'
    );
