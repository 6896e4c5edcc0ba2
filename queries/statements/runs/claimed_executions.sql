-- statement: claimed_executions
-- purpose:   lone tool calls with the run that they are a call of: the only one within a day, in another trace of the
--            same service or session, that has a call of this id
-- reads:     executions, tool_calls, agent_traces
-- note:      asking_calls is registered by the writer: the calls of the runs that are being written, those of the
--            traces $trace_ids. Stored calls of other traces are looked for only for the lone calls of these traces.
with related as (
    select *
    from executions
    where
        tool_call_id in (select tool_call_id from asking_calls)
        or trace_id in (select unnest(string_split($trace_ids, chr(31))))
),

stored_calls as (
    select
        tool_calls.agent_trace_id,
        tool_calls.trace_id,
        tool_calls.tool_call_id,
        agent_traces.service_name,
        agent_traces.session_id,
        agent_traces.started_at as run_started_at
    from tool_calls
    inner join agent_traces on tool_calls.agent_trace_id = agent_traces.agent_trace_id
    where
        tool_calls.tool_call_id in (select tool_call_id from related)
        and tool_calls.child_agent_trace_id is null
        and tool_calls.trace_id not in (select unnest(string_split($trace_ids, chr(31))))
),

calls as (
    select * from asking_calls
    union all by name
    select * from stored_calls
),

claims as (
    select
        related.agent_trace_id,
        related.tool_call_id,
        any_value(calls.agent_trace_id) as claimed_by,
        any_value(calls.run_started_at) as claimed_at
    from related
    inner join calls
        on
            related.tool_call_id = calls.tool_call_id
            and related.trace_id <> calls.trace_id
            and (related.service_name = calls.service_name or related.session_id = calls.session_id)
            and calls.run_started_at between related.run_started_at - interval 1 day
            and related.run_started_at + interval 1 day
    where calls.agent_trace_id not in (select executions.agent_trace_id from executions)
    group by related.agent_trace_id, related.tool_call_id
    having count(distinct calls.agent_trace_id) = 1
)

select
    related.*,
    claims.claimed_by,
    claims.claimed_at
from related
inner join claims using (agent_trace_id, tool_call_id)
qualify count(*) over (partition by claims.claimed_by, related.tool_call_id) = 1;
