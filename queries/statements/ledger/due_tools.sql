-- statement: due_tools
-- purpose:   the tool definitions that are due for an evaluator: those beyond its cursor, then those that were deferred
--            until now
-- reads:     offered_tools, evaluator_cursors, deferrals
with cursor_of_evaluator as (
    select seq
    from evaluator_cursors
    where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
)

select
    target_id,
    seq,
    null as revision
from (
    select
        'tool:' || definition_hash as target_id,
        seq,
        0 as priority
    from offered_tools
    where seq > (select seq from cursor_of_evaluator)
    union all
    select
        deferred.target_id,
        tools.seq,
        deferred.priority
    from deferrals as deferred
    inner join offered_tools as tools on deferred.target_id = 'tool:' || tools.definition_hash
    where
        deferred.evaluator = $evaluator
        and deferred.not_before <= $now
        and tools.seq <= (select seq from cursor_of_evaluator)
) as due
order by priority, seq
limit $limit;
