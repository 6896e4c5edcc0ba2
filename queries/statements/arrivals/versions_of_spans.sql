-- statement: versions_of_spans
-- purpose:   the other versions of some spans
-- reads:     span_versions
-- note:      renewed_spans is registered by the writer.
select * exclude (start_time, end_time, ingested_at, batch_seq)
from span_versions
where (trace_id, span_id) in (select (trace_id, span_id) from renewed_spans);
