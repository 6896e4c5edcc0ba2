-- statement: settled_runs_through
-- purpose:   the position up to which the new runs of an evaluator are settled; null if it has no new runs
-- grain:     one row
-- reads:     agent_traces, evaluator_cursors
-- note:      runs assembled after $settled_by are not settled, so that the next span does not make a score that costs
--            money useless; nor are the runs after the first of them, since a cursor passes every run and the clock
--            may have been set back between two. A run assembled after $now, by a clock that was set back since, is
--            settled. Runs that arrive after this was read are beyond the position.
select
    coalesce(
        min(assembled_seq) filter (where assembled_at > $settled_by and assembled_at <= $now) - 1,
        max(assembled_seq)
    )
from agent_traces
where
    experiment_id is null
    and assembled_seq > (
        select seq
        from evaluator_cursors
        where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
    );
