-- statement: delete_span_versions
-- purpose:   deletes the other versions of some spans, before they are written again
-- reads:     span_versions
-- note:      renewed_spans is registered by the writer.
delete from span_versions
where (trace_id, span_id) in (select (trace_id, span_id) from renewed_spans);
