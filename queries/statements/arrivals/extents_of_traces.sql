-- statement: extents_of_traces
-- purpose:   how many spans some traces have, and which commit stored the first of them; traces without spans are left
--            out
-- reads:     spans
-- note:      by ids alone, whatever the times. until_seq limits the commits that are read; null: all are read.
select
    trace_id,
    count(*) as spans,
    min(batch_seq) as first_seq
from spans
where
    trace_id in (select unnest(string_split($trace_ids, chr(31))))
    and batch_seq <= coalesce($until_seq, 9223372036854775807)
group by trace_id;
