-- statement: outcomes_of_runs
-- purpose:   the outcomes of some outermost runs, computed from their errors, calls and scores
-- grain:     agent_trace_id
-- reads:     run_outcomes_of
-- note:      touched_runs is registered by the caller. All runs in the trees of these, and the targets of the scores on
--            them, began between $earliest and $latest.
select *
from
    run_outcomes_of(
        (select list(touched_runs.agent_trace_id) from touched_runs), $earliest::timestamp, $latest::timestamp
    );
