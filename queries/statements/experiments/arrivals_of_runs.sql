-- statement: arrivals_of_runs
-- purpose:   when the agent spans of some runs arrived, of those that arrived since $since
-- reads:     spans
-- note:      The bound spares all parts of the table that are older than the experiment.
select
    trace_id || '-' || span_id as agent_trace_id,
    min(ingested_at) as ingested_at
from spans
where
    ingested_at >= $since
    and trace_id in (select unnest(string_split($trace_ids, chr(31))))
    and trace_id || '-' || span_id in (select unnest(string_split($agent_trace_ids, chr(31))))
group by all;
