-- statement: insert_rebuild_traces
-- purpose:   stores the traces with a span that began at $since or later in the order of their arrival; all traces
--            where $since is null
-- reads:     spans
insert into rebuild_traces
select
    row_number() over (order by min(batch_seq), trace_id) as position,
    trace_id,
    count(*) as spans
from spans
group by trace_id
having $since::timestamp is null or max(start_time) >= $since::timestamp;
