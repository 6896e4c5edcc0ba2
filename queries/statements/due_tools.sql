-- statement: due_tools
-- purpose:   the tool definitions that an evaluator has to judge now: those beyond its cursor, then what was put off
-- reads:     offered_tools, evaluator_cursors, due_later
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
        later.target_id,
        tools.seq,
        later.priority
    from due_later as later
    inner join offered_tools as tools on later.target_id = 'tool:' || tools.definition_hash
    where
        later.evaluator = $evaluator
        and later.not_before <= $now
        and tools.seq <= (select seq from cursor_of_evaluator)
) as due
order by priority, seq
limit $limit;
