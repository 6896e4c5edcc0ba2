-- view:    sessions
-- purpose: conversations: the runs of production that share a session id, each run without a parent counting as one
--          turn
-- grain:   session_id, service_name
-- reads:   agent_traces, tool_calls, llm_calls
-- note:    calls, tokens and costs are the totals of the turns, which include sub-agents whatever their session, so
--          that rows with turns count each once. A session that only sub-agents have is a row without turns: it has
--          the totals of those whose parent is not in the session, and the row of the turn includes them.
create or replace view sessions as
with failures as (
    select agent_trace_id from tool_calls
    where error is not null and child_agent_trace_id is null and not is_foreign
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

counted as (
    select agent_trace_id from agent_traces
    where parent_agent_trace_id is null and experiment_id is null
    union all
    select runs.agent_trace_id
    from agent_traces as runs
    anti join agent_traces as around
        on
            runs.session_id = around.session_id
            and runs.service_name is not distinct from around.service_name
            and around.experiment_id is null
            and (around.parent_agent_trace_id is null or runs.parent_agent_trace_id = around.agent_trace_id)
    where runs.parent_agent_trace_id is not null and runs.experiment_id is null
)

select
    runs.session_id,
    runs.service_name,
    list_sort(list_distinct(list(runs.agent_name))) as agent_names,
    count(*) filter (where runs.parent_agent_trace_id is null) as turns,
    min(runs.started_at) as started_at,
    max(runs.ended_at) as ended_at,
    sum(coalesce(runs.total_tool_call_count, runs.tool_call_count))
    filter (where counted.agent_trace_id is not null)::bigint as tool_call_count,
    coalesce(sum(failures_of_runs.failures), 0)::bigint as error_count,
    sum(
        coalesce(runs.total_input_tokens, runs.input_tokens, 0)
        + coalesce(runs.total_output_tokens, runs.output_tokens, 0)
    ) filter (
        where
        counted.agent_trace_id is not null
        and coalesce(runs.total_input_tokens, runs.input_tokens, runs.total_output_tokens, runs.output_tokens)
        is not null
    )::bigint as tokens,
    sum(coalesce(runs.total_cost_usd, runs.cost_usd))
    filter (where counted.agent_trace_id is not null) as cost_usd
from agent_traces as runs
left join counted on runs.agent_trace_id = counted.agent_trace_id
left join failures_of_runs on runs.agent_trace_id = failures_of_runs.agent_trace_id
where runs.session_id is not null and runs.experiment_id is null
group by runs.session_id, runs.service_name;
