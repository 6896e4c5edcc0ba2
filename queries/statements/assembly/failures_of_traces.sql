-- statement: failures_of_traces
-- purpose:   how often in a row the assembly of some traces failed
-- reads:     waiting_traces
select
    trace_id,
    failures
from waiting_traces
where failures is not null and trace_id in (select unnest(string_split($trace_ids, chr(31))));
