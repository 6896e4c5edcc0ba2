-- statement: insert_spans
-- purpose:   keeps the arriving spans that are not kept yet
-- reads:     spans
-- note:      arriving_spans is registered by the writer. The bound is the batch's own range of start times, so that a
--            retry is recognised however late it comes, without reading the whole table.
insert into spans by name
select
    arriving.*,
    make_timestamp(arriving.start_ns // 1000) as start_time,
    make_timestamp(arriving.end_ns // 1000) as end_time,
    $ingested_at as ingested_at,
    $batch_seq as batch_seq
from arriving_spans as arriving
where not exists (
    select 1
    from spans as kept
    where
        kept.start_time between make_timestamp($earliest_ns // 1000) and make_timestamp($latest_ns // 1000)
        and kept.trace_id = arriving.trace_id
        and kept.span_id = arriving.span_id
);
