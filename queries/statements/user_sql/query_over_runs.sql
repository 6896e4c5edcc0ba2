-- statement: query_over_runs
-- purpose:   what the query of a SQL evaluator returns for some runs, which it reads as the relation `due`
-- reads:     agent_traces
-- splices:   query
-- note:      the columns of `due` are those of the statement runs_without_content, and target_id.
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
    where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
)

select *
from (
    ${query}
) as answer;
