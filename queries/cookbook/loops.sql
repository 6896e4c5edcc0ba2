-- report:  loops
-- purpose: Which runs repeat the same tool call?
-- grain:   agent_trace_id, tool, arguments
-- reads:   selected_runs, tool_calls
-- note:    three times or more with the same arguments; the first 50, by the number of calls. Calls without recorded
--          arguments are left out.
with chosen as (
    select *
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where tool_call_count >= 3
),

repeated as (
    select
        calls.agent_trace_id,
        calls.name as tool,
        calls.args::varchar as arguments,
        count(*) as same_calls
    from tool_calls as calls
    inner join chosen on calls.agent_trace_id = chosen.agent_trace_id
    where calls.args is not null and not calls.is_foreign
    group by calls.agent_trace_id, calls.name, calls.args::varchar
    having count(*) >= 3
)

select
    chosen.started_at,
    coalesce(chosen.agent_name, chosen.service_name) as agent,
    chosen.agent_version as version,
    repeated.tool,
    repeated.same_calls,
    chosen.tool_call_count as n_calls,
    left(repeated.arguments, 100) as arguments,
    round(chosen.duration_ms, 1) as duration_ms,
    round(chosen.cost_usd, 6) as cost_usd,
    chosen.agent_trace_id
from chosen
inner join repeated on chosen.agent_trace_id = repeated.agent_trace_id
order by repeated.same_calls desc, chosen.started_at desc, chosen.agent_trace_id, repeated.tool
limit 50;
