-- statement: insert_rebuild_traces
-- purpose:   puts the traces with a span that began at $since or later into the order in which they arrived; all of
--            them where $since is null
-- reads:     spans
insert into rebuild_traces
select
    row_number() over (order by min(batch_seq), trace_id) as position,
    trace_id,
    count(*) as spans
from spans
group by trace_id
having $since::timestamp is null or max(start_time) >= $since::timestamp;
