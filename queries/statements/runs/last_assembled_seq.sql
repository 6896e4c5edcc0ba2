-- statement: last_assembled_seq
-- purpose:   the highest assembled_seq ever given: a restart continues from there, and a pass ends there
-- reads:     agent_traces, evaluator_cursors
-- note:      the run that had it may have been deleted; a cursor that has passed it has not. Cursors of scope tool
--            count another sequence.
select
    greatest(
        coalesce((select max(assembled_seq) from agent_traces), 0),
        coalesce((select max(seq) filter (where scope <> 'tool') from evaluator_cursors), 0)
    ) as assembled_seq;
