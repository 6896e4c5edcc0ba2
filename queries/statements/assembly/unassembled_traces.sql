-- statement: unassembled_traces
-- purpose:   traces with arrivals since the commit $from_seq that no assembly has read, oldest first, about $limit;
--            from the first commit on, after a restart, also those that were read and were not complete
-- reads:     spans, logs, assembly_progress, waiting_traces
-- note:      the arrivals of one commit are returned together, whatever their number. unassembled is the total number.
select
    unassembled,
    trace_id,
    first_seq,
    last_seq,
    records,
    is_waiting,
    service_name
from (
    select
        *,
        count(*) over () as unassembled,
        count(*) over (order by first_seq) as until_here,
        min(first_seq) over () as very_first_seq
    from (
        select
            trace_id,
            min(batch_seq) as first_seq,
            max(batch_seq) as last_seq,
            count(*) as records,
            bool_or(batch_seq = 0) as is_waiting,
            any_value(service_name) as service_name
        from (
            select
                trace_id,
                batch_seq,
                service_name
            from spans
            where batch_seq > (select batch_seq from assembly_progress) and batch_seq >= $from_seq
            union all
            select
                trace_id,
                batch_seq,
                service_name
            from logs
            where
                batch_seq > (select batch_seq from assembly_progress)
                and batch_seq >= $from_seq
                and trace_id is not null
            union all
            select
                trace_id,
                0 as batch_seq,
                null as service_name
            from waiting_traces
            where $from_seq = 0
        ) as arrivals
        group by trace_id
    ) as traces
) as counted
where until_here <= $limit or first_seq = very_first_seq
order by first_seq, trace_id;
