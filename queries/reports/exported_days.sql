-- report:  exported_days
-- purpose: the days of each exported relation, with a digest that differs as soon as a row or a column of the day does
-- grain:   relation, day
-- reads:   agent_traces, runs, linked_calls, scores, spans
-- note:    a day is that on which the run began, in UTC. The rows of calls and messages change only with their run,
--          whose rows_hash covers them, and calls also with the outcome that a later run brings. Spans are never
--          changed. The sum of hashes depends on no order.
with
run_days as (
    select
        started_at::date as day,
        count(*) as runs,
        sum(hash(agent_traces)::hugeint) as digest,
        sum(hash(agent_trace_id, revision, assembled_seq, rows_hash)::hugeint) as digest_of_parts
    from agent_traces
    group by day
),

outermost_days as (
    select
        started_at::date as day,
        count(*) as runs,
        sum(hash(runs)::hugeint) as digest
    from runs
    group by day
),

linked_days as (
    select
        agent_traces.started_at::date as day,
        sum(hash(linked_calls)::hugeint) as digest
    from linked_calls
    inner join agent_traces on linked_calls.agent_trace_id = agent_traces.agent_trace_id
    group by agent_traces.started_at::date
),

score_days as (
    select
        coalesce(target_time, scored_at)::date as day,
        count(*) as scores,
        sum(hash(scores)::hugeint) as digest
    from scores
    group by day
),

span_days as (
    select
        start_time::date as day,
        count(*) as spans,
        max(batch_seq) as last_seq
    from spans
    group by day
),

days as (
    select
        'runs' as relation,
        day,
        concat_ws('-', runs, digest) as content
    from outermost_days
    union all
    select
        'agent_traces' as relation,
        day,
        concat_ws('-', runs, digest) as content
    from run_days
    union all
    select
        'llm_calls' as relation,
        day,
        concat_ws('-', runs, digest_of_parts) as content
    from run_days
    union all
    select
        'messages' as relation,
        day,
        concat_ws('-', runs, digest_of_parts) as content
    from run_days
    union all
    select
        'tool_calls' as relation,
        run_days.day,
        concat_ws('-', run_days.runs, run_days.digest_of_parts, linked_days.digest) as content
    from run_days
    left join linked_days on run_days.day = linked_days.day
    union all
    select
        'scores' as relation,
        day,
        concat_ws('-', scores, digest) as content
    from score_days
    union all
    select
        'spans' as relation,
        day,
        concat_ws('-', spans, last_seq) as content
    from span_days
),

columns as (
    select
        table_name as relation,
        list(column_name || ' ' || data_type order by column_index) as names
    from duckdb_columns()
    where schema_name = 'main'
    group by table_name
)

select
    days.relation,
    days.day,
    sha256(days.content || columns.names::varchar) as digest
from days
inner join columns on days.relation = columns.relation
order by days.relation, days.day;
