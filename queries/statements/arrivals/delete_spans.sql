-- statement: delete_spans
-- purpose:   deletes spans of which a version that counts more is inserted; they were stored between the commits
--            $first_seq and $last_seq
-- reads:     spans
-- note:      renewed_spans is registered by the writer.
delete from spans
where
    batch_seq between $first_seq and $last_seq
    and (trace_id, span_id) in (select (trace_id, span_id) from renewed_spans);
