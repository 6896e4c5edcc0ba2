-- statement: query_columns
-- purpose:   the columns that a user's query over runs returns, without its rows
-- reads:     agent_traces
-- splices:   query
with due as materialized (
    select
        agent_trace_id,
        trace_id,
        agent_span_id,
        session_id,
        agent_name,
        service_name,
        started_at,
        revision,
        agent_trace_id as target_id
    from agent_traces
    where false
)

select *
from (
    ${query}
) as answer
where false;
