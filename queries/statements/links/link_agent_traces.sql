-- statement: link_agent_traces
-- purpose:   gives runs that began between $earliest and $latest the session that links them, and adds the failed calls
--            that later runs reported
-- reads:     agent_traces
-- note:      relinked_runs is registered by the writer.
update agent_traces
set
    session_id = relinked_runs.session_id,
    error_count = agent_traces.error_count + relinked_runs.errors
from relinked_runs
where
    agent_traces.agent_trace_id = relinked_runs.agent_trace_id
    and agent_traces.started_at between $earliest and $latest;
