-- statement: spans_of_subjects
-- purpose:   how the spans hang together in the traces that feedback names
-- reads:     spans
select
    trace_id,
    span_id,
    parent_span_id,
    tool_name
from spans
where trace_id in (select trace_id from named_subjects);
