-- statement: insert_failed_trace
-- purpose:   remembers that a trace could not be assembled, and when it is tried again
-- reads:     waiting_traces
insert into waiting_traces by name
select
    $trace_id as trace_id,
    $failures as failures,
    $now as failed_at,
    $retry_at as retry_at,
    $cause as cause;
