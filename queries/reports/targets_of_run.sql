-- report:  targets_of_run
-- purpose: the targets of evaluators in or around an agent run: the run, its session, the tools it offered
-- grain:   target_id
-- reads:   agent_traces, tool_definitions, offered_tools
-- note:    seq is the place in the order of assembly, or in that of offered tools. A run of an experiment is part of no
--          session.
select
    agent_trace_id as target_id,
    'trace' as scope,
    null as name,
    assembled_seq as seq,
    assembled_at,
    revision,
    experiment_id
from agent_traces
where agent_trace_id = $agent_trace_id
union all
select
    'session:' || session_id as target_id,
    'session' as scope,
    session_id as name,
    max(assembled_seq) as seq,
    max(assembled_at) as assembled_at,
    coalesce(sum(revision) filter (where parent_agent_trace_id is null), 0)::bigint as revision,
    null as experiment_id
from agent_traces
where
    experiment_id is null
    and session_id = (
        select run.session_id
        from agent_traces as run
        where run.agent_trace_id = $agent_trace_id and run.experiment_id is null
    )
group by session_id
union all
select distinct
    'tool:' || tools.definition_hash as target_id,
    'tool' as scope,
    tools.name,
    tools.seq,
    null as assembled_at,
    null as revision,
    null as experiment_id
from tool_definitions
inner join offered_tools as tools using (definition_hash)
where tool_definitions.agent_trace_id = $agent_trace_id;
