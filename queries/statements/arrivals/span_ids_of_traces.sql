-- statement: span_ids_of_traces
-- purpose:   the ids of the spans of some traces, where the first span of each came with the commit $first_seq or later
-- reads:     spans
select
    trace_id,
    span_id
from spans
where
    batch_seq >= $first_seq
    and trace_id in (select unnest(string_split($trace_ids, chr(31))));
