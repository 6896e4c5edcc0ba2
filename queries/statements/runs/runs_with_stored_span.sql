-- statement: runs_with_stored_span
-- purpose:   those of some runs whose agent span is still stored
-- reads:     agent_traces, spans
select agent_trace_id
from agent_traces
where
    agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
    and exists (
        select 1
        from spans
        where spans.trace_id = agent_traces.trace_id and spans.span_id = agent_traces.agent_span_id
    );
