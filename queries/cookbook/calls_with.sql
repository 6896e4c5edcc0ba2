-- report:   calls_with
-- purpose:  Which runs called a tool, or called it with an argument?
-- grain:    agent_trace_id, position
-- reads:    selected_runs, tool_calls, arg
-- note:     the newest 100. An argument within another one: stay.nights, cities[0].
-- tool:     calls of this tool
-- argument: calls with this argument
-- value:    calls whose --argument has this value; alone, calls of which any argument has it
select
    runs.started_at,
    coalesce(runs.agent_name, runs.service_name) as agent,
    runs.agent_version as version,
    calls.name as tool,
    calls.status,
    left(calls.args::varchar, 200) as arguments,
    left(coalesce(calls.error, calls.result), 100) as result,
    runs.outcome,
    calls.position,
    calls.agent_trace_id
from tool_calls as calls
inner join
    selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment) as runs
    on calls.agent_trace_id = runs.agent_trace_id
where
    ($tool is null or calls.name = $tool)
    and ($argument is null or arg(calls.args, $argument) is not null)
    and (
        $value is null
        or arg(calls.args, $argument) = $value
        or ($argument is null and list_contains(json_extract_string(calls.args, '$.*'), $value))
    )
order by runs.started_at desc, calls.agent_trace_id, calls.position
limit 100;
