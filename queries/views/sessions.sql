-- view:    sessions
-- purpose: conversations: the runs that share a session id, each run without a parent counting as one turn
-- grain:   session_id, service_name
-- reads:   agent_traces
create or replace view sessions as
select
    session_id,
    service_name,
    list_sort(list_distinct(list(agent_name))) as agent_names,
    count(*) filter (where parent_agent_trace_id is null) as turns,
    min(started_at) as started_at,
    max(ended_at) as ended_at,
    sum(tool_call_count)::bigint as tool_call_count,
    sum(error_count)::bigint as error_count,
    sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0))::bigint as tokens
from agent_traces
where session_id is not null
group by session_id, service_name;
