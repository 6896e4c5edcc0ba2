-- statement: insert_logs
-- purpose:   stores the arriving log records that are not stored yet
-- reads:     logs
-- note:      arriving_logs is registered by the writer. A log record has no id: the same content at the same nanosecond
--            under the same span is the same record, sent again.
insert into logs by name
select
    arriving.*,
    make_timestamp(arriving.time_ns // 1000) as time,
    $ingested_at as ingested_at,
    $batch_seq as batch_seq
from arriving_logs as arriving
where not exists (
    select 1
    from logs as stored
    where
        stored.time between make_timestamp($earliest_ns // 1000) and make_timestamp($latest_ns // 1000)
        and stored.time_ns = arriving.time_ns
        and stored.trace_id is not distinct from arriving.trace_id
        and stored.span_id is not distinct from arriving.span_id
        and stored.event_name is not distinct from arriving.event_name
        and stored.body::varchar is not distinct from arriving.body
        and stored.attributes::varchar = arriving.attributes
);
