-- statement: attributes_of_runs
-- purpose:   attributes and resource of the agent spans of some runs, which may hold references
-- reads:     agent_traces, spans
-- note:      spans without any attribute under tracegrade.* are left out, unless $all is true. The runs began between
--            $earliest and $latest, which limits the spans that are read.
select
    runs.agent_trace_id,
    spans.attributes,
    spans.resource
from agent_traces as runs
inner join spans on runs.trace_id = spans.trace_id and runs.agent_span_id = spans.span_id
where
    runs.agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
    and spans.start_time between $earliest and $latest
    and (
        $all
        or contains(spans.attributes::varchar, '"tracegrade.')
        or contains(spans.resource::varchar, '"tracegrade.')
    );
