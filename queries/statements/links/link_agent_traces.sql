-- statement: link_agent_traces
-- purpose:   gives runs that began between $earliest and $latest, and their sub-agents, the session that links them,
--            and adds the failed calls that later runs reported
-- reads:     agent_traces
-- note:      relinked_runs is registered by the writer. A sub-agent begins within a day, and may have a session of its
--            own.
update agent_traces
set
    session_id = relinked_runs.session_id,
    error_count = agent_traces.error_count
    + if(agent_traces.agent_trace_id = relinked_runs.agent_trace_id, relinked_runs.errors, 0)
from relinked_runs
where
    agent_traces.root_agent_trace_id = relinked_runs.agent_trace_id
    and (
        agent_traces.agent_trace_id = relinked_runs.agent_trace_id
        or agent_traces.session_id is null
        or agent_traces.session_id like 'linked:%'
        or regexp_matches(agent_traces.session_id, '^(resp|response|chatcmpl|msg)[_-]')
    )
    and agent_traces.started_at between $earliest - interval 1 day and $latest + interval 1 day;
