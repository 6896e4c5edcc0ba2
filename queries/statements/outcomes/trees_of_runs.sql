-- statement: trees_of_runs
-- purpose:   the outermost run around each of some runs, when the run began, whether it has a fault, and between which
--            times the runs of its tree and their calls began, where the run is itself outermost
-- grain:     agent_trace_id
-- reads:     agent_traces
-- note:      only runs that began between $earliest and $latest; nulls select all. touched_runs is registered by the
--            caller. concat keeps DuckDB from comparing the ids of all rows that it scans, before it compares their
--            times.
select
    agent_trace_id,
    root_agent_trace_id,
    started_at,
    earliest_at,
    latest_at,
    coalesce(fault, failed_tools::varchar, invalid_tools::varchar) is not null as is_faulty
from agent_traces
where
    concat(agent_trace_id) in (select touched_runs.agent_trace_id from touched_runs)
    and ($earliest::timestamp is null or started_at between $earliest::timestamp and $latest::timestamp);
