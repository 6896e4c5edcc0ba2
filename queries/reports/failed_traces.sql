-- report:  failed_traces
-- purpose: how many traces cannot be assembled, and the first of them, for `tracegrade doctor --ledger`
-- grain:   one row
-- reads:   waiting_traces
select
    count(*) as traces,
    coalesce(min(trace_id, 5), []) as trace_ids
from waiting_traces
where failures is not null;
