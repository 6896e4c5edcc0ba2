-- report:  latency
-- purpose: Where does the time of a run go?
-- grain:   agent, step
-- reads:   selected_runs, tool_calls, llm_calls, few
-- note:    duration of runs, of their models and tools, and time to first token. Tools of sub-agents are included.
with chosen as (
    select
        agent_trace_id,
        coalesce(agent_name, service_name) as agent,
        duration_ms,
        time_to_first_token_ms
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
),

steps as (
    select
        agent,
        'run' as step,
        duration_ms,
        1 as place
    from chosen
    union all
    select
        agent,
        'time to first token' as step,
        time_to_first_token_ms,
        2 as place
    from chosen
    union all
    select
        chosen.agent,
        'model ' || coalesce(calls.model, 'unknown') as step,
        calls.duration_ms,
        3 as place
    from llm_calls as calls
    inner join chosen on calls.agent_trace_id = chosen.agent_trace_id
    where calls.started_at >= $since::timestamp
    union all
    select
        chosen.agent,
        'tool ' || calls.name as step,
        calls.duration_ms,
        4 as place
    from tool_calls as calls
    inner join chosen on calls.agent_trace_id = chosen.agent_trace_id
    where calls.started_at >= $since::timestamp and not calls.is_foreign
)

select
    agent,
    step,
    count(duration_ms) as n,
    round(quantile_cont(duration_ms, 0.5), 1) as p50_ms,
    round(quantile_cont(duration_ms, 0.95), 1) as p95_ms,
    round(max(duration_ms), 1) as max_ms,
    round(sum(duration_ms), 1) as total_ms,
    few(count(duration_ms)) as remark
from steps
group by agent, step, place
having count(duration_ms) > 0
order by agent, place, total_ms desc, step;
