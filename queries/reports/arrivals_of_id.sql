-- report:  arrivals_of_id
-- purpose: the traces that an id matches, when something of them last arrived, and whether more is to be assembled:
--          is_open where an arrival is not settled, or where they wait for more; where assembly fails, how often in a
--          row, why, and when it is tried again (null: at the next start)
-- grain:   trace_id
-- reads:   spans, assembly_progress, waiting_traces
select
    arrived.*,
    waiting.failures,
    waiting.failed_at,
    waiting.retry_at,
    waiting.cause
from (
    select
        trace_id,
        count(*) as spans,
        max(ingested_at) as arrived_at,
        max(batch_seq) > (select batch_seq from assembly_progress)
        or trace_id in (select trace_id from waiting_traces) as is_open
    from spans
    where starts_with(trace_id, $id)
    group by trace_id
    order by trace_id
    limit 20
) as arrived
left join waiting_traces as waiting using (trace_id)
order by arrived.trace_id;
