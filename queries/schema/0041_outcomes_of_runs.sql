-- migration: outcomes_of_runs
-- purpose:   names the outermost run around each run, and keeps in outermost runs what their calls and scores say
-- note:      the columns from outcome on are filled when the store is opened for writing: they are computed by a macro,
--            and macros are installed after this. Columns that are updated are no lists: DuckDB would delete and insert
--            the whole row.
alter table agent_traces add column root_agent_trace_id varchar; -- itself, where it has no parent
alter table agent_traces add column earliest_at timestamp; -- first start in the tree of an outermost run; else null
alter table agent_traces add column latest_at timestamp; -- last start in the tree of an outermost run; else null
alter table agent_traces add column tools varchar[]; -- each once, in the order of their first calls
alter table agent_traces add column failed_calls json; -- list of {position, name, error}; null: none
alter table agent_traces add column time_to_first_token_ms double; -- of its first model call that recorded one
alter table agent_traces add column outcome varchar; -- error, failing, passed, not_scored; null: a run with a parent
alter table agent_traces add column failing boolean;
alter table agent_traces add column score_count bigint;
alter table agent_traces add column failing_score_count bigint;
alter table agent_traces add column worst_evaluator varchar;
alter table agent_traces add column worst_value double;
alter table agent_traces add column worst_explanation varchar;
alter table agent_traces add column fault varchar; -- call, score, error
alter table agent_traces add column fault_tool varchar;
alter table agent_traces add column fault_agent_trace_id varchar; -- the run of the call
alter table agent_traces add column fault_position bigint; -- of the call in that run
alter table agent_traces add column fault_evaluator varchar;
alter table agent_traces add column first_fault varchar;
alter table agent_traces add column fault_class varchar;
alter table agent_traces add column fault_pattern varchar;
alter table agent_traces add column pattern_id varchar;
alter table agent_traces add column failed_tools json; -- list of names
alter table agent_traces add column invalid_tools json; -- list of names

update agent_traces
set root_agent_trace_id = agent_trace_id
where parent_agent_trace_id is null;

with recursive above as (
    select
        agent_trace_id,
        parent_agent_trace_id as root_agent_trace_id
    from agent_traces
    where parent_agent_trace_id is not null
    union
    select
        above.agent_trace_id,
        runs.parent_agent_trace_id as root_agent_trace_id
    from above
    inner join agent_traces as runs on above.root_agent_trace_id = runs.agent_trace_id
    where runs.parent_agent_trace_id is not null
),

inner_runs as (
    select agent_trace_id
    from agent_traces
    where parent_agent_trace_id is not null
)

update agent_traces
set root_agent_trace_id = above.root_agent_trace_id
from above
where
    agent_traces.agent_trace_id = above.agent_trace_id
    and above.root_agent_trace_id not in (select inner_runs.agent_trace_id from inner_runs);

update agent_traces
set
    tools = coalesce(called.tools, []),
    failed_calls = failed.failed_calls,
    time_to_first_token_ms = answered.time_to_first_token_ms
from agent_traces as runs
left join (
    select
        agent_trace_id,
        list(name order by first_position) as tools
    from (
        select
            agent_trace_id,
            name,
            min(position) as first_position
        from tool_calls
        where not is_foreign
        group by agent_trace_id, name
    ) as own_calls
    group by agent_trace_id
) as called on runs.agent_trace_id = called.agent_trace_id
left join (
    select
        agent_trace_id,
        to_json(list({ 'position': position, 'name': name, 'error': left(error, 500) } order by position))
            as failed_calls
    from tool_calls
    where status = 'error' and not is_foreign and child_agent_trace_id is null
    group by agent_trace_id
) as failed on runs.agent_trace_id = failed.agent_trace_id
left join (
    select
        agent_trace_id,
        arg_min(time_to_first_token_ms, position) as time_to_first_token_ms
    from llm_calls
    where time_to_first_token_ms is not null
    group by agent_trace_id
) as answered on runs.agent_trace_id = answered.agent_trace_id
where agent_traces.agent_trace_id = runs.agent_trace_id;

update agent_traces
set earliest_at = found.earliest_at, latest_at = found.latest_at
from (
    with called as (
        select
            agent_trace_id,
            min(started_at) as earliest_at,
            max(started_at) as latest_at
        from tool_calls
        group by agent_trace_id
    )

    select
        runs.root_agent_trace_id,
        min(least(runs.started_at, called.earliest_at)) as earliest_at,
        max(greatest(runs.started_at, called.latest_at)) as latest_at
    from agent_traces as runs
    left join called on runs.agent_trace_id = called.agent_trace_id
    group by runs.root_agent_trace_id
) as found
where agent_traces.agent_trace_id = found.root_agent_trace_id and agent_traces.parent_agent_trace_id is null;
