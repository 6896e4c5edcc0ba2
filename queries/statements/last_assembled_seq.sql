-- statement: last_assembled_seq
-- purpose:   the highest assembled_seq ever given, where a restart counts on and a pass ends
-- reads:     agent_traces, evaluator_cursors
-- note:      the run that had it may be gone; a cursor that has passed it is not. Those of scope tool count others.
select
    greatest(
        coalesce((select max(assembled_seq) from agent_traces), 0),
        coalesce((select max(seq) filter (where scope <> 'tool') from evaluator_cursors), 0)
    ) as assembled_seq;
