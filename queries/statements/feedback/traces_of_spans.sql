-- statement: traces_of_spans
-- purpose:   the traces in which some span ids occur
-- reads:     spans
select distinct
    span_id,
    trace_id
from spans
where span_id in (select unnest(string_split($span_ids, chr(31))));
