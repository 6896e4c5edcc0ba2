-- statement: insert_failed_trace
-- purpose:   records that a trace could not be assembled, and when assembly is tried again
-- reads:     waiting_traces
insert into waiting_traces (trace_id, failures, failed_at, retry_at, cause)
values ($trace_id, $failures, $now, $retry_at, $cause);
