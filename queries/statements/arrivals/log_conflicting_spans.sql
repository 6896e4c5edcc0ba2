-- statement: log_conflicting_spans
-- purpose:   inserts a log record for each span that arrived again under the same ids with other content; the first one
--            is kept
-- reads:     spans, logs
-- note:      arriving_spans is registered by the writer: the spans with other content. The first ones were stored
--            between the commits $first_seq and $last_seq. The record has the start time of the stored span. It is
--            inserted once, however often the other span arrives.
insert into logs by name
with conflicting as (
    select distinct
        stored.trace_id,
        stored.span_id,
        stored.start_time,
        stored.start_ns
    from spans as stored
    inner join arriving_spans as arriving on stored.trace_id = arriving.trace_id and stored.span_id = arriving.span_id
    where stored.batch_seq between $first_seq and $last_seq
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
