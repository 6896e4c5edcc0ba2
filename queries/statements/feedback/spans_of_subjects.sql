-- statement: spans_of_subjects
-- purpose:   the parents and tools of the spans in the traces that feedback names
-- reads:     spans
-- note:      named_subjects is registered by the writer.
select
    trace_id,
    span_id,
    parent_span_id,
    tool_name
from spans
where trace_id in (select trace_id from named_subjects);
