-- statement: unassembled_traces
-- purpose:   traces with arrivals that no assembly has dealt with, after a restart
-- reads:     spans, logs, assembly_progress
select
    trace_id,
    min(batch_seq) as first_seq,
    max(batch_seq) as last_seq
from (
    select
        trace_id,
        batch_seq
    from spans
    union all
    select
        trace_id,
        batch_seq
    from logs
    where trace_id is not null
) as arrivals
where batch_seq > (select batch_seq from assembly_progress)
group by trace_id
order by first_seq;
