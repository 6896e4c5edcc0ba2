-- statement: update_failed_calls
-- purpose:   writes again which calls of some runs failed, after later runs reported their outcome; all of these runs
--            began between $earliest and $latest
-- reads:     agent_traces, tool_calls
-- note:      gives the same text as `_trace_row` in collector/records/row_mapping.py. With `or`
--            DuckDB would read calls of all times. Clocks of a run may differ by an hour.
update agent_traces
set failed_calls = failed.failed_calls
from (
    with calls_around as (
        select *
        from tool_calls
        where started_at >= $earliest::timestamp - interval 1 hour
        union all
        select *
        from tool_calls
        where started_at is null
    )

    select
        asked.agent_trace_id,
        to_json(
            list({ 'position': calls.position, 'name': calls.name, 'error': left(calls.error, 500) } order by position)
            filter (where calls.status = 'error' and not calls.is_foreign and calls.child_agent_trace_id is null)
        ) as failed_calls
    from (select unnest(string_split($agent_trace_ids, chr(31))) as agent_trace_id) as asked
    left join calls_around as calls on asked.agent_trace_id = calls.agent_trace_id
    group by asked.agent_trace_id
) as failed
where
    agent_traces.agent_trace_id = failed.agent_trace_id
    and agent_traces.started_at between $earliest and $latest;
