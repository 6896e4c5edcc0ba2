-- report:  unscored
-- purpose: how many runs, or sessions where $is_session, are new to evaluators whose cursor is at $after_seq, and when
--          the oldest of these runs ended, for /metrics
-- grain:   one row
-- reads:   agent_traces
-- note:    $after_seq is a constant of its own, so that row groups before it are left out and the cost does not grow
--          with the store.
select
    case
        when $is_session then count(distinct case when $is_session then session_id end)
        else count(*)
    end as targets,
    min(least(coalesce(ended_at, assembled_at), assembled_at)) as oldest_at
from agent_traces
where assembled_seq > $after_seq and experiment_id is null and (session_id is not null or not $is_session);
