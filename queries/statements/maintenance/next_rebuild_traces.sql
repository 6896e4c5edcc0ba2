-- statement: next_rebuild_traces
-- purpose:   the next traces of a rebuild, at most $limit with about $most_spans spans, and whether some of their
--            arrivals are not assembled yet
-- reads:     rebuild_traces, assembly_progress, spans, logs, waiting_traces
-- note:      traces that are still arriving are left to the assembly of new spans, which knows what a trace waits for.
with next_traces as (
    select
        trace_id,
        position
    from rebuild_traces
    where position > $done and position <= $done + $limit
    qualify sum(spans) over (order by position) - spans < $most_spans
),

arriving as (
    select trace_id
    from spans
    where batch_seq > (select batch_seq from assembly_progress)
    union
    select trace_id
    from logs
    where batch_seq > (select batch_seq from assembly_progress)
    union
    select trace_id
    from waiting_traces
)

select
    next_traces.trace_id,
    arriving.trace_id is not null as is_arriving
from next_traces
left join arriving on next_traces.trace_id = arriving.trace_id
order by next_traces.position;
