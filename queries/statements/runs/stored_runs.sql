-- statement: stored_runs
-- purpose:   the stored runs of the traces that were just assembled
-- reads:     agent_traces
select
    agent_trace_id,
    trace_id,
    session_id,
    parent_agent_trace_id,
    root_agent_trace_id,
    started_at,
    gaps::varchar like '%"no_agent_span"%' or (
        parent_agent_trace_id is null
        and (
            session_id is null
            or session_id like 'linked:%'
            or regexp_matches(session_id, '^(resp|response|chatcmpl|msg)[_-]')
        )
    ) as is_linkable,
    revision,
    fingerprint,
    rows_hash,
    experiment_id,
    assembled_at,
    assembled_seq
from agent_traces
where trace_id in (select unnest(string_split($trace_ids, chr(31))));
