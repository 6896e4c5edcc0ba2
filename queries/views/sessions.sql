-- view:    sessions
-- purpose: conversations: the runs that share a session id, each run without a parent counting as one turn
-- grain:   session_id, service_name
-- reads:   agent_traces, tool_calls, llm_calls
-- note:    the runs below a run belong to its conversation, whatever session and service they record themselves, and
--          its totals include theirs: so each call is counted once, within a conversation and over all of them.
create or replace view sessions as
with recursive members as (
    select
        agent_trace_id,
        session_id,
        service_name,
        session_id is not null as is_outermost
    from agent_traces
    where
        parent_agent_trace_id is null
        or parent_agent_trace_id not in (select each.agent_trace_id from agent_traces as each)
    union all
    select
        runs.agent_trace_id,
        coalesce(parents.session_id, runs.session_id) as session_id,
        if(parents.session_id is null, runs.service_name, parents.service_name) as service_name,
        parents.session_id is null and runs.session_id is not null as is_outermost
    from agent_traces as runs
    inner join members as parents on runs.parent_agent_trace_id = parents.agent_trace_id
),

failures as (
    select agent_trace_id from tool_calls
    where error is not null and child_agent_trace_id is null
    union all
    select agent_trace_id from llm_calls
    where error is not null
),

failures_of_runs as (
    select
        agent_trace_id,
        count(*) as failures
    from failures
    group by agent_trace_id
),

totals as (
    select
        agent_trace_id,
        coalesce(total_tool_call_count, tool_call_count) as tool_call_count,
        coalesce(total_input_tokens, input_tokens) as input_tokens,
        coalesce(total_output_tokens, output_tokens) as output_tokens,
        coalesce(total_cost_usd, cost_usd) as cost_usd
    from agent_traces
)

select
    members.session_id,
    members.service_name,
    list_sort(list_distinct(list(runs.agent_name))) as agent_names,
    count(*) filter (where runs.parent_agent_trace_id is null) as turns,
    min(runs.started_at) as started_at,
    max(runs.ended_at) as ended_at,
    sum(totals.tool_call_count)::bigint as tool_call_count,
    coalesce(sum(failures_of_runs.failures), 0)::bigint as error_count,
    coalesce(
        sum(totals.input_tokens) + sum(totals.output_tokens), sum(totals.input_tokens), sum(totals.output_tokens)
    )::bigint as tokens,
    sum(totals.cost_usd) as cost_usd
from members
inner join agent_traces as runs on members.agent_trace_id = runs.agent_trace_id
left join totals on members.agent_trace_id = totals.agent_trace_id and members.is_outermost
left join failures_of_runs on members.agent_trace_id = failures_of_runs.agent_trace_id
where members.session_id is not null
group by members.session_id, members.service_name;
