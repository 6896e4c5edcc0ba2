-- statement: attributes_of_runs
-- purpose:   attributes and resource of the agent spans of some runs: where agents say what was expected of them
-- reads:     agent_traces, spans
-- note:      those that say nothing under tracegrade.* are left out, unless $all asks for them. The runs began between
--            $earliest and $latest, which bounds what is read of spans.
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
