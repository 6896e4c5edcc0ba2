-- statement: stored_spans
-- purpose:   the stored spans of some traces that have one of some ids, where the first span of each trace came with
--            the commit $first_seq or later
-- reads:     spans
select
    trace_id,
    span_id
from spans
where
    batch_seq >= $first_seq
    and trace_id in (select unnest(string_split($trace_ids, chr(31))))
    and span_id in (select unnest(string_split($span_ids, chr(31))));
