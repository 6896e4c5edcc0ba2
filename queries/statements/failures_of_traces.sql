-- statement: failures_of_traces
-- purpose:   how often in a row some traces could not be assembled
-- reads:     waiting_traces
select
    trace_id,
    failures
from waiting_traces
where failures is not null and trace_id in (select unnest(string_split($trace_ids, chr(31))));
