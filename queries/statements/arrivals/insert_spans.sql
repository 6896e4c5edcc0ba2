-- statement: insert_spans
-- purpose:   stores the arriving spans, none of which is stored yet
-- reads:     spans
-- note:      arriving_spans is registered by the writer.
insert into spans by name
select
    arriving.*,
    make_timestamp(arriving.start_ns // 1000) as start_time,
    make_timestamp(arriving.end_ns // 1000) as end_time,
    $ingested_at as ingested_at,
    $batch_seq as batch_seq
from arriving_spans as arriving;
