-- statement: backfill_meant
-- purpose:   the runs that a backfill means: how many, and how many of these wait for each of $evaluators already,
--            because a backfill asked for them or because they were put off until then
-- reads:     agent_traces, due_later
with meant as (
    select agent_trace_id
    from agent_traces
    where
        started_at between $earliest and $latest
        and ($every or agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31)))))
),

waiting as (
    select
        due_later.evaluator,
        due_later.priority
    from due_later
    semi join meant on due_later.target_id = meant.agent_trace_id
)

select
    names.evaluator,
    (select count(*) from meant) as runs,
    count(*) filter (where waiting.priority = $backfill) as asked_before,
    count(*) filter (where waiting.priority <> $backfill) as put_off
from unnest(string_split($evaluators, chr(31))) as names (evaluator)
left join waiting on names.evaluator = waiting.evaluator
group by names.evaluator
order by names.evaluator;
