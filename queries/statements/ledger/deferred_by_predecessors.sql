-- statement: deferred_by_predecessors
-- purpose:   which of the evaluators in $after have deferred these targets, and until when (UTC)
-- grain:     target_id
-- reads:     deferrals
-- note:      read after due_runs: a target that is not here then, up to the reach of all of them, is done
select
    target_id,
    list(distinct evaluator order by evaluator) as evaluators,
    max(not_before) as not_before
from deferrals
where
    list_contains($after::varchar[], evaluator)
    and target_id in (select unnest(string_split($target_ids, chr(31))))
group by target_id;
