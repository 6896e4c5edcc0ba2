-- statement: commits_of_spans
-- purpose:   the range of commits that stored the spans that arrived again; none of them was stored before $first_seq
-- reads:     spans
-- note:      arriving_spans is registered by the writer. Spans are found by ids alone, whatever their times.
select
    coalesce(min(batch_seq), 0) as first_seq,
    coalesce(max(batch_seq), -1) as last_seq
from spans
where
    batch_seq >= $first_seq
    and (trace_id, span_id) in (select (trace_id, span_id) from arriving_spans);
