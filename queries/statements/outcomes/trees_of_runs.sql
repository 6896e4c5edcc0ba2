-- statement: trees_of_runs
-- purpose:   the outermost run around each of some runs, when the run began, and between which times the runs of its
--            tree and their calls began, where the run is itself outermost
-- grain:     agent_trace_id
-- reads:     agent_traces
-- note:      only runs that began between $earliest and $latest; nulls select all. concat keeps DuckDB from
--            comparing the ids of all rows that it scans, before it compares their times.
select
    agent_trace_id,
    root_agent_trace_id,
    started_at,
    earliest_at,
    latest_at
from agent_traces
where
    concat(agent_trace_id) in (select unnest(string_split($agent_trace_ids, chr(31))))
    and ($earliest::timestamp is null or started_at between $earliest::timestamp and $latest::timestamp);
