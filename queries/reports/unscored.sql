-- report:  unscored
-- purpose: how much is new to evaluators that are at $seqs, and when the oldest of it ended, for /metrics
-- grain:   scope, seq
-- reads:   agent_traces, offered_tools
-- note:    $scopes and $seqs are parallel lists, each pair once; $after_seq is the least of $seqs for runs, a constant
--          of its own, so that row groups before it are left out and the cost does not grow with the store. Tools have
--          no time.
with cursors as (
    select
        unnest($scopes::varchar[]) as scope,
        unnest($seqs::bigint[]) as seq
),

new_runs as (
    select
        assembled_seq,
        session_id,
        least(coalesce(ended_at, assembled_at), assembled_at) as ended_at
    from agent_traces
    where assembled_seq > $after_seq
)

select
    cursors.scope,
    cursors.seq,
    case when cursors.scope = 'session' then count(distinct runs.session_id) else count(*) end as targets,
    min(runs.ended_at) as oldest_at
from cursors
inner join new_runs as runs
    on cursors.seq < runs.assembled_seq and (cursors.scope = 'trace' or runs.session_id is not null)
where cursors.scope <> 'tool'
group by cursors.scope, cursors.seq
union all
select
    cursors.scope,
    cursors.seq,
    count(*) as targets,
    null as oldest_at
from cursors
inner join offered_tools as tools on cursors.seq < tools.seq
where cursors.scope = 'tool'
group by cursors.scope, cursors.seq;
