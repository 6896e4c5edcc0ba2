-- report:  pending
-- purpose: what has arrived and is not assembled, and what is assembled and not judged
-- grain:   one row
-- reads:   spans, logs, assembly_progress, agent_traces, evaluator_cursors
select
    (
        select count(distinct trace_id)
        from spans
        where batch_seq > (select batch_seq from assembly_progress)
    ) as traces,
    (
        select count(*)
        from agent_traces
        where assembled_seq > (select coalesce(min(seq), 0) from evaluator_cursors)
    ) as runs;
