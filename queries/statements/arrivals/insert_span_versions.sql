-- statement: insert_span_versions
-- purpose:   stores other versions of spans
-- reads:     span_versions
-- note:      other_versions is registered by the writer.
insert into span_versions by name
select
    other_versions.*,
    make_timestamp(other_versions.start_ns // 1000) as start_time,
    make_timestamp(other_versions.end_ns // 1000) as end_time,
    $ingested_at as ingested_at,
    $batch_seq as batch_seq
from other_versions;
