-- report:  calls_of_run
-- purpose: the tool calls of an agent run, in order
-- grain:   position
-- reads:   tool_calls
select
    position,
    name,
    result,
    if(is_foreign, 'foreign', source) as source,
    coalesce(args::varchar, args_text) as args,
    coalesce(error, case when status is null then 'not recorded' when status <> 'ok' then status end) as problem,
    round(duration_ms, 1) as duration_ms
from tool_calls
where agent_trace_id = $agent_trace_id
order by position;
