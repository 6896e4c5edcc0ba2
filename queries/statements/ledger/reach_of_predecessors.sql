-- statement: reach_of_predecessors
-- purpose:   the position up to which all evaluators in $after, in their present form, have considered runs
-- grain:     one row
-- reads:     evaluator_cursors
-- note:      0 if one of them was never enrolled in this form. Read before due_runs: what they defer meanwhile lies
--            beyond it.
select
    case
        when count(*) < len($after::varchar[]) then 0
        else min(seq)
    end as seq
from evaluator_cursors
where
    ($after_versions::bigint[])[list_position($after::varchar[], evaluator)] = evaluator_version
    and ($after_hashes::varchar[])[list_position($after::varchar[], evaluator)] = config_hash;
