-- statement: recorded_tool_calls
-- purpose:   the tool_calls of some runs, for evaluation, as each run recorded them
-- reads:     tool_calls, linked_calls
-- note:      a result that a later run brought belongs to no revision, so a score does not depend on when it came.
with linked as (
    select
        agent_trace_id,
        position
    from linked_calls
    where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
)

select
    tool_calls.* replace (
        if(linked.position is null, tool_calls.result, null) as result,
        if(linked.position is null, tool_calls.error, null) as error,
        if(linked.position is null, tool_calls.status, null) as status
    )
from tool_calls
left join linked using (agent_trace_id, position)
where tool_calls.agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));
