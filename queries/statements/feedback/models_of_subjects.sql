-- statement: models_of_subjects
-- purpose:   the model calls of the traces that feedback names
-- reads:     llm_calls
-- note:      named_subjects is registered by the writer.
select
    agent_trace_id,
    trace_id,
    span_id,
    response_id
from llm_calls
where trace_id in (select trace_id from named_subjects)
order by agent_trace_id, position;
