-- statement: runs_where
-- purpose:   those of some runs for which a user's condition holds
-- reads:     agent_traces
-- splices:   condition
-- note:      the runs are selected first; otherwise DuckDB would evaluate the condition on other runs too, and it could
--            fail on them.
with selected_runs as materialized (
    select *
    from agent_traces
    where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
)

select agent_trace_id
from selected_runs
where
    (
        ${condition}
    );
